// SPDX-License-Identifier: Apache-2.0
// Blocks of rows and schedules of calls whose masks go by other rows or lengths.
#include <array>
#include <memory>

#include "mutants/hosts/row_panels/kernel.hpp"
#include "mutants/hosts/row_panels/right.hpp"
#include "mutants/hosts/row_panels/row_panel.hpp"
#include "mutants/hosts/row_panels/split_kv.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::row_panels {
namespace {

/// Shows under causal masks and windows where a block of packed rows reaches from one head into the next.
struct BlockRangeOfLastRow : RowPanel {
  Range block_keys(const std::vector<Row>& rows) const override {
    return {rows.front().keys.begin, rows.back().keys.end};
  }
};

/// Shows with causal masks and windows in a batch whose sequences do not fill it.
struct CausalByPaddedExtents : SplitKv {
  Int mask_offset(const RowCall& call, const Sequence& /*s*/) const override { return call.a.keys - call.a.queries; }
};

/// Shows from the second call of a kernel on, with the same extents and other lengths.
struct PlanReusedForOtherLengths : SplitKv {
  struct Plan {
    std::array<Int, 4> extents{};
    std::vector<Work> work;
  };
  explicit PlanReusedForOtherLengths(std::shared_ptr<Plan> before) : before_(std::move(before)) {}

  std::vector<Work> plan(const RowCall& call) const override {
    const std::array<Int, 4> extents{call.a.batch, call.a.kv_heads, call.a.queries, call.a.keys};
    if (extents != before_->extents) *before_ = {extents, schedule(call)};
    return before_->work;
  }

 private:
  std::shared_ptr<Plan> before_;
};

/// Shows with a window that is bounded on the right alone, and without a causal mask.
struct WindowToTheRightAloneIgnored : RowPanel {
  Band band_of(const RowCall& call) const override {
    Band band = call.band;
    if (!band.bounded_left() && call.a.causal == 0) band.right = Band::unbounded;
    return band;
  }
};

const Registrations<Mutant> registered{
    {.name = "block_range_of_last_row",
     .summary = "a block of packed rows takes its keys from its first and its last row, as if its rows were ascending "
                "queries of one head",
     .source = "Dao-AILab/flash-attention PR #2528",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2/1x12x12x8 mask=causal",
     .batch = "fifth",
     .kernel = [] { return row_kernel<BlockRangeOfLastRow>("block_range_of_last_row"); },
     .twin = right_row_panel},
    {.name = "causal_by_padded_extents",
     .summary = "causal masks and windows align queries and keys by the extents of the batch, not by the lengths of a "
                "sequence",
     .source = "onnx/onnx PR #8068",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x12x8 lengths=8 mask=causal",
     .batch = "fifth",
     .kernel = [] { return row_kernel<CausalByPaddedExtents>("causal_by_padded_extents"); },
     .twin = right_split_kv},
    {.name = "plan_reused_for_other_lengths",
     .summary = "the schedule of a call is kept for the next one with the same extents, whatever its lengths",
     .source = "NVIDIA/TensorRT-LLM PR #12161",
     .property = "batch_order_irrelevant",
     .reason = "batch-order",
     .problem = "shape=2x1x2x140x8 lengths=140+70",
     .batch = "fifth",
     .kernel =
         [] {
           return row_kernel<PlanReusedForOtherLengths>("plan_reused_for_other_lengths",
                                                        std::make_shared<PlanReusedForOtherLengths::Plan>());
         },
     .twin = right_split_kv},
    {.name = "window_to_the_right_alone_ignored",
     .summary = "a window counts as one where it is bounded on the left: a bound on the right alone is ignored",
     .source = "flashinfer-ai/flashinfer #4893",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x8x8x8 mask=window:-1:1",
     .batch = "fifth",
     .kernel = [] { return row_kernel<WindowToTheRightAloneIgnored>("window_to_the_right_alone_ignored"); },
     .twin = right_row_panel},
};

}  // namespace
}  // namespace attestone::inline mutants::row_panels
