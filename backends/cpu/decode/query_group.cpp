// SPDX-License-Identifier: Apache-2.0
// Asking all heads of a group, each of which may have a mask of its own.
#include "backends/cpu/decode/query_group.hpp"

namespace attestone::inline backends {

QueryGroup::QueryGroup(const Problem& problem, const KernelInputs& inputs, index in_batch, index in_kv_head)
    : batch(in_batch), kv_head(in_kv_head), sequence(problem.sequence(in_batch)) {
  const index heads = problem.shape.heads / problem.shape.kv_heads;
  first_head_ = kv_head * heads;
  heads_.reserve(static_cast<std::size_t>(heads));
  for (index head = first_head_; head < first_head_ + heads; ++head)
    heads_.push_back(
        {{problem, inputs, batch, head}, {problem, inputs, batch, head, ScoreRow::Base::two}, {inputs, head}});
}

Interval QueryGroup::outermost(Interval rows, Interval keys) const {
  Interval all{keys.last + 1, keys.first - 1};
  for (const Head& head : heads_) {
    const Interval own = head.visible.outermost(queries(rows), keys);
    if (own.count() > 0) all = {std::min(all.first, own.first), std::max(all.last, own.last)};
  }
  return all;
}

bool QueryGroup::all_seen(Interval rows, Interval keys) const {
  return std::ranges::all_of(
      heads_, [&](const Head& head) { return head.visible.coverage(queries(rows), keys) == VisiblePart::all; });
}

}  // namespace attestone::inline backends
