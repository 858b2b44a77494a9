// SPDX-License-Identifier: Apache-2.0
// Parts are jobs of their own; merges wait for all of them.
#include "backends/cpu/split/split_call.hpp"

#include "backends/cpu/parts/stored_rows.hpp"
#include "backends/cpu/parts/workers.hpp"
#include "backends/cpu/simd/softmax.hpp"

namespace attestone::inline backends {

SplitCall::SplitCall(const Problem& problem, const Arguments& arguments, const AttendExtents& extents, index splits,
                     MergeForm form, Device& device)
    : problem_(problem),
      arguments_(arguments),
      device_(device),
      extents_(extents),
      splits_(splits),
      query_tiles_(tiles_of(problem.shape.queries, extents.queries)),
      form_(form),
      divides_(form == MergeForm::sigmoid || form == MergeForm::late_correction),
      attend_(problem, arguments, extents),
      heads_(attended_heads(problem, arguments)) {
  const index states = static_cast<index>(heads_.size()) * query_tiles_ * splits;
  for (index i = 0; i < states; ++i) states_.emplace_back(device, extents.queries, extents.value_dim);
}

SplitCall::Tile SplitCall::tile(index number) const {
  const AttendedHead& head = heads_[static_cast<std::size_t>(number / query_tiles_)];
  const index first = number % query_tiles_ * extents_.queries;
  return {head, {first, std::min(first + extents_.queries, stored_rows(problem_, head.batch).queries) - 1}};
}

void SplitCall::run(index workers) {
  const index tiles = static_cast<index>(heads_.size()) * query_tiles_;
  Workers<AttendScratch> team(workers, device_, extents_);
  const auto for_each_part = [&](auto work) {
    team.for_each(tiles * splits_, [&](index job, AttendScratch& scratch) {
      work(job / splits_, job % splits_, scratch);
      device_.compute(std::exchange(scratch.work, {}));
    });
  };
  for_each_part([&](index number, index part, AttendScratch& scratch) {
    const Tile at = tile(number);
    state(number, part).start(at.queries, beginning(at.head, part));
    take_in(number, part, scratch);
  });
  if (form_ == MergeForm::shared_maximum) {
    // Now that the maximum is known, once more with that.
    for (index number = 0; number < tiles; ++number) share_maximum(number);
    for_each_part([&](index number, index part, AttendScratch& scratch) { take_in(number, part, scratch); });
  }
  team.for_each(tiles, [&](index number, AttendScratch& scratch) {
    merge(number, scratch);
    device_.compute(std::exchange(scratch.work, {}));
  });
}

void SplitCall::take_in(index number, index part, AttendScratch& scratch) {
  const auto& [head, queries] = tile(number);
  const index size = tiles_of(head.sequence.keys, splits_), first = part * size;
  const Interval keys{first, std::min(first + size, head.sequence.keys) - 1};
  if (keys.count() == 0) return;
  attend_.load_queries(head, queries, scratch);
  attend_.take_in(head, keys, state(number, part), scratch);
}

void SplitCall::share_maximum(index number) {
  const AttendedHead& head = tile(number).head;
  for (index p = 0; p < state(number, 0).panels(); ++p) {
    alignas(allocation_alignment) float largest[panel_queries];
    std::copy_n(state(number, 0).panel(p).m, panel_queries, largest);
    for (index part = 1; part < splits_; ++part)
      for (index i = 0; i < panel_queries; ++i) largest[i] = std::max(largest[i], state(number, part).panel(p).m[i]);
    for (index part = 0; part < splits_; ++part) {
      state(number, part).restart(p, beginning(head, part));
      state(number, part).raise(p, largest);
    }
  }
}

void SplitCall::merge(index number, AttendScratch& scratch) {
  const AttendedHead& head = tile(number).head;
  AttendState& all = state(number, 0);
  for (index part = 1; part < splits_ && !divides_; ++part)
    form_ == MergeForm::shared_maximum ? merge_of_one_maximum(all, state(number, part))
                                       : merge_rescaled(all, state(number, part));
  if (!divides_) return attend_.store(head, all, arguments_, scratch);
  for (index p = 0; p < all.panels(); ++p) {
    for (index part = 0; part < splits_; ++part) {
      const AttendState::Panel panel = state(number, part).panel(p);
      divide_by_sums(panel.OT, extents_.value_dim, panel.l);
    }
    double merged[panel_queries];
    merge_answers(number, p, merged);
    float log_sum_exp[panel_queries];
    std::copy_n(merged, panel_queries, log_sum_exp);
    attend_.store_panel(head, all.panel(p).queries, {all.panel(p).OT, log_sum_exp}, arguments_, scratch);
  }
}

/// Every part has been divided by its own sum: only its answer and its log_sum_exp are left.
PartAnswer SplitCall::answer(index number, index part, index p, double* log_sum_exp) {
  const AttendState::Panel panel = state(number, part).panel(p);
  const HeadSink& sink = tile(number).head.sink;
  for (index i = 0; i < panel_queries; ++i) {
    const OnlineSoftmax softmax{panel.m[i], panel.l[i]};
    log_sum_exp[i] = part == 0 ? sink.log_sum_exp(softmax) : softmax.log_sum_exp();
  }
  return {panel.OT, log_sum_exp};
}

void SplitCall::merge_answers(index number, index p, double* all) {
  const index value_dim = extents_.value_dim;
  double own[panel_queries];
  const PartAnswer first = answer(number, 0, p, all);
  for (index part = 1; part < splits_; ++part) {
    const PartAnswer next = answer(number, part, p, own);
    if (form_ == MergeForm::sigmoid)
      merge_by_sigmoid(first, next, value_dim);
    else
      for (index i = 0; i < panel_queries; ++i) all[i] = log_of_both(all[i], own[i]);
  }
  if (form_ == MergeForm::late_correction)
    for (index part = 0; part < splits_; ++part) {
      const PartAnswer next = answer(number, part, p, own);
      correct_late(next, all, value_dim);
      if (part > 0)
        for (index i = 0; i < value_dim * panel_queries; ++i) first.out[i] += next.out[i];
    }
}

}  // namespace attestone::inline backends
