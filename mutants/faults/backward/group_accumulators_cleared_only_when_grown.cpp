// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows in dK and dV of grouped heads from the second backward pass of a process on.
#include "mutants/hosts/second_batch/fused_backward.hpp"
#include "mutants/hosts/second_batch/kernel.hpp"
#include "mutants/hosts/second_batch/right.hpp"
#include "mutants/hosts/second_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::second_batch {
namespace {

class Fault : public FusedBackward {
 protected:
  mutable std::vector<float> room;
  float* clear_group(const Call&, float*, index_t floats) const override {
    if (index_t(room.size()) < floats) room.assign(size_t(floats), 0.0f);
    return room.data();
  }
};

const Registration<Mutant> registered{{
    .name = "group_accumulators_cleared_only_when_grown",
    .summary = "the room where query heads of a group add up dK and dV is kept between calls, and cleared only when it "
               "has to grow",
    .source = "NVIDIA/TransformerEngine #2448, NVIDIA/cudnn-frontend #333",
    .property = "gradient_repeats",
    .reason = "not-repeatable",
    .problem = "shape=1x4/2x16x16x16 pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("group_accumulators_cleared_only_when_grown"); },
    .twin = right_tiled_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
