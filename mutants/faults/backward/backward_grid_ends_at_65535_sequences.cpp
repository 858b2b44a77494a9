// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows for batches above 65535.
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
  index_t launched_sequences(const Call& c) const override { return std::min<index_t>(c.a.batch, 65535); }
};

const Registration<Mutant> registered{{
    .name = "backward_grid_ends_at_65535_sequences",
    .summary = "the grid of the backward kernel has the batch in its z axis: sequences from 65535 on are not computed, "
               "and get no gradients",
    .source = "SandAI-org/MagiAttention #40, pytorch/pytorch #142228",
    .property = "gradient_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=65537x1x1x2x4 pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("backward_grid_ends_at_65535_sequences"); },
    .twin = right_tiled_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
