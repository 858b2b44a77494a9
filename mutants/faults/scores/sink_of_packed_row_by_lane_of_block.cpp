// SPDX-License-Identifier: Apache-2.0
// Mutant of the split host: shows with a sink, heads / kv_heads no divisor of 16, and more than 16 packed rows: queries
// * heads / kv_heads.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/hosts/third_batch/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : SplitPolicy {
  static float sink_of_row(const Problem& p, Index kv, Index r) {
    return Rules::sink(p, kv * p.group + r % kBlock % p.group);
  }
};

const Registration<Mutant> registered{{
    .name = "sink_of_packed_row_by_lane_of_block",
    .summary = "the sink of a packed row is chosen by its lane within the block of 16 rows, not by its number",
    .source = "sgl-project/sgl-kernel-xpu PR #254",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x3/1x12x32x16 score=sink:head",
    .kernel =
        [] { return kernel<Split<Fault>, FusedBackward<FusedBackwardPolicy>>("sink_of_packed_row_by_lane_of_block"); },
    .twin = right_split_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
