// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled host: shows with value_dim > dim and more than one key tile (or a sink), in the channels behind
// dim.
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
  void rescale(Row& row, float alpha) const override {
    row.l *= alpha;
    for (int64_t d = 0; d < std::min(call->a.dim, call->a.value_dim); ++d) row.o[static_cast<size_t>(d)] *= alpha;
  }
};

const Registration<Mutant> registered{{
    .name = "rescale_covers_only_dim_channels",
    .summary = "when the maximum rises, the output so far is rescaled over dim channels instead of value_dim: the "
               "v-space extent is taken from the q/k head",
    .source = "XunhaoLai/native-sparse-attention-triton #27",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x16x200x32:64",
    .kernel = [] { return kernel<Fault, FusedBackward>("rescale_covers_only_dim_channels"); },
    .twin = right_tiled,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
