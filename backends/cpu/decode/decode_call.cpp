// SPDX-License-Identifier: Apache-2.0
// Parts are jobs of their own; merges wait for all of them.
#include "backends/cpu/decode/decode_call.hpp"

#include <utility>

#include "backends/cpu/parts/stored_rows.hpp"
#include "backends/cpu/parts/workers.hpp"

namespace attestone::inline backends {

DecodeCall::DecodeCall(const Problem& problem, const Arguments& arguments, const RowExtents& extents, index part_keys,
                       Device& device)
    : problem_(problem),
      device_(device),
      extents_(extents),
      part_keys_(part_keys),
      parts_(parts_of(problem.shape.keys, part_keys)),
      row_tiles_(row_tiles_of(problem.shape, extents.rows)),
      step_(problem, arguments, extents) {
  for (index batch = 0; batch < problem.shape.batch; ++batch)
    for (index kv_head = 0; kv_head < problem.shape.kv_heads; ++kv_head)
      groups_.emplace_back(problem, arguments, batch, kv_head);
  const index states = static_cast<index>(groups_.size()) * row_tiles_ * parts_;
  for (index i = 0; i < states; ++i) states_.emplace_back(device, extents.rows, extents.value_dim);
}

DecodeCall::Tile DecodeCall::tile(index number) const {
  const QueryGroup& group = groups_[static_cast<std::size_t>(number / row_tiles_)];
  const index first = number % row_tiles_ * extents_.rows;
  const index rows = stored_rows(problem_, group.batch).queries * group.size();
  return {group, {first, std::min(first + extents_.rows, rows) - 1}};
}

void DecodeCall::run(index workers) {
  const index tiles = static_cast<index>(groups_.size()) * row_tiles_;
  Workers<RowScratch> team(workers, device_, extents_);
  team.for_each(tiles * parts_, [&](index job, RowScratch& scratch) {
    take_in(job / parts_, job % parts_, scratch);
    device_.compute(std::exchange(scratch.work, {}));
  });
  team.for_each(tiles, [&](index number, RowScratch& scratch) {
    merge(number, scratch);
    device_.compute(std::exchange(scratch.work, {}));
  });
}

void DecodeCall::take_in(index number, index part, RowScratch& scratch) {
  const Tile at = tile(number);
  RowState& known = state(number, part);
  for (index row = 0; row < at.rows.count(); ++row)
    known.start(row, part == 0 ? at.group.head(at.rows.first + row).sink.start() : OnlineSoftmax{});
  if (at.real().count() == 0) return;
  step_.load_queries(at.group, at.real(), scratch);
  step_.take_in(at.group, at.real(), {part * part_keys_, (part + 1) * part_keys_ - 1}, known, scratch);
}

void DecodeCall::merge(index number, RowScratch& scratch) {
  const Tile at = tile(number);
  RowState& all = state(number, 0);
  for (index row = 0; row < at.rows.count(); ++row) {
    for (index part = 1; part < parts_; ++part) all.merge(row, state(number, part));
    step_.store(at.group, at.rows.first + row, row, all, scratch);
  }
}

}  // namespace attestone::inline backends
