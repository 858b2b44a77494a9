// SPDX-License-Identifier: Apache-2.0
// The sink stands in part 0, which publishes it even if it has no keys; the first part with keys looks one part back,
// sees an empty one, and seeds its state with the sink again. ROCm/rocm-libraries issue 12227. Shows in the split route
// with a sink and a mask that leaves the first parts without keys.
#include "../hosts/fused_backward.hpp"
#include "../hosts/split_forward.hpp"

class Fault : public SplitForward {
 protected:
  Part seed(const Unit& u, int64_t split, const std::vector<Part>& before, bool empty) const override {
    const bool again = split > 0 && !empty && before.back().empty;
    return SplitForward::seed(u, again ? 0 : split, before, empty);
  }
};

KERNEL(Fault, FusedBackward)
