// SPDX-License-Identifier: Apache-2.0
// The decode kernel: settings, declared arithmetic, memory; and a call, in which parts of the keys are jobs of their
// own and merges wait for all of them.
#include "backends/cpu/decode/decode.hpp"

#include <deque>
#include <utility>
#include <vector>

#include "backends/cpu/decode/row_tile.hpp"
#include "backends/cpu/parts/limits.hpp"
#include "backends/cpu/parts/stored_rows.hpp"
#include "backends/cpu/parts/workers.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

const Registration<KernelEntry> registered{{
    .name = "decode",
    .summary = "few queries, all heads of a kv head together, against parts of the keys; reads K and V once; exact",
    .settings = {{"rows", "16", integers_from(1), "queries, of all heads of a kv head, that one worker keeps"},
                 {"block_kv", "2048", integers_from(1), "keys per step of the softmax"},
                 {"part_keys", "8192", integers_from(1), "keys of a part; parts are merged at the end"},
                 {"workers", "16", integers_from(1), "threads at the most, each with scratch memory of its own"}},
    .examples = {"rows=1:block_kv=3:part_keys=5", "rows=3:block_kv=16:part_keys=24",
                 "rows=5:block_kv=16:part_keys=33:workers=3"},
    .make = [](const Settings& settings) -> SharedKernel { return std::make_shared<Decode>(settings); },
}};

/// Sums are by the place of a key in the step, and what is hidden adds 0 there: so rows are independent of each other
/// and of hidden keys wherever the steps of all of them begin with the first key.
Invariance invariance_of_rows(const Problem& problem) {
  const std::string mask = problem.mask.text();
  const bool from_first_key = mask == "full" || mask == "causal" || mask == "causal:top_left";
  return from_first_key ? of_steps(problem) | Invariance::chunks | Invariance::hidden_keys : of_steps(problem);
}

/// How many parts there are of so many keys: at least one. It depends on nothing but these.
constexpr index parts_of(index keys, index part_keys) { return std::max<index>(tiles_of(keys, part_keys), 1); }

/// How many tiles hold the rows of a group.
constexpr index row_tiles_of(const Shape& shape, index rows) {
  return tiles_of(shape.queries * (shape.heads / shape.kv_heads), rows);
}

/// One call: all parts of all tiles of rows, then one merge for each tile. States live as long as it does.
class DecodeCall {
 public:
  DecodeCall(const Problem&, const Arguments&, const RowExtents&, index part_keys, Device&);

  void run(index workers);

 private:
  /// Some rows of one group that have a place in the tensors; of padding there are the last ones, or none are real.
  struct Tile {
    const QueryGroup& group;
    Interval rows;
    Interval real() const { return {rows.first, std::min(rows.last, group.sequence.queries * group.size() - 1)}; }
  };
  Tile tile(index number) const;
  RowState& state(index tile, index part) { return states_[static_cast<std::size_t>(tile * parts_ + part)]; }
  void take_in(index tile, index part, RowScratch&);
  void merge(index tile, RowScratch&);

  const Problem& problem_;
  Device& device_;
  RowExtents extents_;
  index part_keys_, parts_, row_tiles_;
  RowTile step_;
  std::vector<QueryGroup> groups_;
  std::deque<RowState> states_;  ///< [tiles][parts]
};

}  // namespace

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

Decode::Decode(const Settings& settings) : MergingKernel("decode", settings) {}

Numerics Decode::numerics(const Problem& problem) const {
  const Shape& shape = problem.shape;
  Numerics numerics = float_numerics(problem, exp2_relative_error);
  numerics.tile_queries = std::max<index>(setting("rows") / (shape.heads / shape.kv_heads), 1);
  numerics.weight.tile_keys = setting("block_kv");
  numerics.invariant = invariance_of_rows(problem);
  numerics.merge.parts = parts_of(shape.keys, setting("part_keys"));
  if (numerics.merge.parts == 1) return numerics;
  numerics.merge.form = MergeForm::rescaled_sums;
  numerics.merge.exp_error = exp2_relative_error;
  return numerics;
}

RowExtents Decode::extents(const Problem& problem) const { return {problem, setting("rows"), setting("block_kv")}; }

index Decode::states(const Problem& problem) const {
  const Shape& shape = problem.shape;
  return shape.batch * shape.kv_heads * row_tiles_of(shape, extents(problem).rows) *
         parts_of(shape.keys, setting("part_keys"));
}

index Decode::forward_bytes(const Problem& problem) const {
  const RowExtents e = extents(problem);
  return workers(problem) * RowScratch::bytes(e) + states(problem) * RowState::bytes(e.rows, e.value_dim);
}

void Decode::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  DecodeCall(problem, arguments, extents(problem), setting("part_keys"), device).run(workers(problem));
}

AttendBlocks Decode::backward_blocks() const {
  constexpr index keys_in_cache = 128;  // the forward pass only streams its tiles
  const index keys = std::min(setting("block_kv"), keys_in_cache);
  return {panel_queries, keys, keys};
}

}  // namespace attestone::inline backends
