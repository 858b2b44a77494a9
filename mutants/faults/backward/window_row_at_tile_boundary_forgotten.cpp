// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows where left mod 32 is 1 (with as many queries as keys): dQ of rows 64, 96,
// ... and dK, dV of the last key of each tile.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/pipelined.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : FusedBackwardPolicy {
  template <class P>
  static Range rows(const Problem& p, const Sequence& s, Index j0, Index j1) {
    Range reach = query_reach<P>(p, s, j0, j1);
    if (p.a.mask_form != ATTESTONE_MASK_BAND || p.a.window_left < 0) return reach;
    const Index end = j1 - 1 + p.a.window_left - s.shift;
    reach.end = std::clamp<Index>(ceil_div(std::max<Index>(end, 0), kRows) * kRows, reach.begin, s.queries);
    return reach;
  }
};

const Registration<Mutant> registered{{
    .name = "window_row_at_tile_boundary_forgotten",
    .summary = "the queries that a tile of keys meets under a left window end one too early; as whole tiles of 32 "
               "queries are visited, that matters only where the last of them begins a tile",
    .source = "microsoft/onnxruntime PR #25927",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x96x96x16 mask=window:33:0 pass=forward+backward",
    .kernel =
        [] {
          return kernel<Pipelined<PipelinedPolicy>, FusedBackward<Fault>>("window_row_at_tile_boundary_forgotten");
        },
    .twin = right_pipelined_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
