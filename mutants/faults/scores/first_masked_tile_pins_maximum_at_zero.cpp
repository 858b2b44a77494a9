// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled host: shows in rows whose first (rightmost) tile is masked and whose scores all lie far below 0.
#include "mutants/hosts/first_batch/fused_backward.hpp"
#include "mutants/hosts/first_batch/kernel.hpp"
#include "mutants/hosts/first_batch/right.hpp"
#include "mutants/hosts/first_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::first_batch {
namespace {

class Fault : public TiledForward {
 protected:
  float new_maximum(const Row& row, const float* s, const uint8_t* seen, int64_t n) const override {
    const float m = TiledForward::new_maximum(row, s, seen, n);
    return m == -kInfinity ? 0 : m;
  }
};

const Registration<Mutant> registered{{
    .name = "first_masked_tile_pins_maximum_at_zero",
    .summary = "where the tile that a row begins with is wholly hidden, its maximum is set to 0 so that -inf - (-inf) "
               "is no NaN, and 0 is then kept as if it were a score",
    .source = "Dao-AILab/flash-attention #2082",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x64x112x64 mask=window:2:0 scale=10 fill=cold",
    .kernel = [] { return kernel<Fault, FusedBackward>("first_masked_tile_pins_maximum_at_zero"); },
    .twin = right_tiled,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
