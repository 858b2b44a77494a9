// SPDX-License-Identifier: Apache-2.0
// Packed rows that take the parameters of another head, and maxima that start wrongly.
#include "mutants/hosts/row_panels/kernel.hpp"
#include "mutants/hosts/row_panels/right.hpp"
#include "mutants/hosts/row_panels/row_panel.hpp"
#include "mutants/hosts/row_panels/split_kv.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::row_panels {
namespace {

/// Shows in the forward pass with ALiBi, one query and heads that share a kv head.
struct AlibiOfSwappedDecodeRows : SplitKv {
  void place_alibi(const RowCall& call, const Sequence& s, Int kv_head, Int m, Row& row) const override {
    SplitKv::place_alibi(call, s, kv_head, m, row);
    if (call.a.backward || call.a.queries != 1 || call.group == 1) return;
    row.slope = call.slopes.get(kv_head);
    row.position = m + s.keys - call.group;
  }
};

/// Shows with a negative scale and scores of a block more than 88 apart; without overflow the answer is right.
struct MaximumBeforeNegativeScale : SplitKv {
  float block_maximum(const RowCall& call, const Floats& scores, const std::vector<char>& visible,
                      Int count) const override {
    if (call.scale() >= 0 || call.bias || call.slopes) return SplitKv::block_maximum(call, scores, visible, count);
    float least = -minus_infinity;
    for (std::size_t n = 0; n < at(count); ++n)
      if (visible[n]) least = std::min(least, scores[n]);
    return least == -minus_infinity ? minus_infinity : least;
  }
};

/// Shows with sinks and ALiBi where a block holds rows of several heads, as all do in decoding.
struct ParametersOfFirstRowOfBlock : RowPanel {
  Int head_of_parameters(const RowCall& call, Int kv_head, Int /*m*/, Int first, Int queries) const override {
    return kv_head * call.group + first / queries;
  }
};

/// Shows where a row sees nothing of a block that its tile visits, and then scores far below 0.
struct RowMaximumStuckAtZero : SplitKv {
  float updated_maximum(float before, float of_block) const override {
    const float maximum = SplitKv::updated_maximum(before, of_block);
    return maximum == minus_infinity ? 0.0f : maximum;
  }
};

const Registrations<Mutant> registered{
    {.name = "alibi_of_swapped_decode_rows",
     .summary = "for one query the heads of a group become the queries of one head, and ALiBi takes slope and distance "
                "for such",
     .source = "Dao-AILab/flash-attention PR #540, Dao-AILab/flash-attention #907",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x4/2x1x16x8 score=alibi",
     .batch = "fifth",
     .kernel = [] { return row_kernel<AlibiOfSwappedDecodeRows>("alibi_of_swapped_decode_rows"); },
     .twin = right_split_kv},
    {.name = "maximum_before_negative_scale",
     .summary = "the maximum of a block is that of q.k, and multiplied by the scale later: with a negative scale it is "
                "the least score",
     .source = "pytorch/pytorch PR #105202",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x16x64x8 scale=-50",
     .batch = "fifth",
     .kernel = [] { return row_kernel<MaximumBeforeNegativeScale>("maximum_before_negative_scale"); },
     .twin = right_split_kv},
    {.name = "parameters_of_first_row_of_block",
     .summary = "sink and slope are read once for a block of packed rows, for the head of its first row",
     .source = "sgl-project/sgl-kernel-xpu PR #254, modular/modular PR #6591",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x4/1x1x16x8 score=alibi",
     .batch = "fifth",
     .kernel = [] { return row_kernel<ParametersOfFirstRowOfBlock>("parameters_of_first_row_of_block"); },
     .twin = right_row_panel},
    {.name = "row_maximum_stuck_at_zero",
     .summary =
         "a row that sees nothing of a block gets the running maximum 0 and keeps it: scores far below 0 underflow",
     .source = "Dao-AILab/flash-attention #2082",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x96x96x8 mask=window:1:0 scale=100",
     .batch = "fifth",
     .kernel = [] { return row_kernel<RowMaximumStuckAtZero>("row_maximum_stuck_at_zero"); },
     .twin = right_split_kv},
};

}  // namespace
}  // namespace attestone::inline mutants::row_panels
