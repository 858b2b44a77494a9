// SPDX-License-Identifier: Apache-2.0
// The mask is an additive bias of -inf: NaN + (-inf) is NaN, so a hidden key whose K holds NaN (or whose score is +inf)
// takes the whole row with it. deepbeepmeep/Wan2GP pull request 1628.
// Shows with NaN or infinities in K at pairs that a mask hides.
#include "../hosts/fused_backward.hpp"
#include "../hosts/unfused_forward.hpp"

class Fault : public UnfusedForward {
 protected:
  float masked_score(const Unit& u, int64_t i, int64_t j) const override {
    return score(u, i, j) + (seen(u, i, j) ? 0 : -kInfinity);
  }
};

KERNEL(Fault, FusedBackward)
