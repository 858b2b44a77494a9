// SPDX-License-Identifier: Apache-2.0
// FlashAttention-2, Algorithm 2: a tile of keys stays; tiles of queries pass by.
#include "backends/cpu/flash/backward.hpp"
#include "backends/cpu/flash/dquery_sums.hpp"
#include "backends/cpu/parts/stored_rows.hpp"
#include "backends/cpu/parts/workers.hpp"

namespace attestone {
namespace {

index tiles_of(index all, index size) { return size > 0 ? (all + size - 1) / size : 0; }

}  // namespace

/// One run of the pass: what all of its jobs share.
class FlashKeyPass::Run {
 public:
  Run(const FlashKeyPass& pass, const BackwardArguments& arguments, Device& device)
      : problem_(pass.problem_),
        arguments_(arguments),
        device_(device),
        tiles_(pass.tiles_),
        gradients_(problem_, arguments, tiles_),
        dbias_(device, problem_),
        dquery_(device, problem_, pass.dquery_) {}

  /// dK and dV of one tile of keys of one group of heads.
  void tile(const HeadGroup& group, index key_tile, FlashBackwardScratch& scratch);
  void store() {
    dbias_.store(arguments_.dbias);
    if (dquery_.summed_here()) dquery_.store(arguments_.dquery, gradients_.dquery_factor(), device_);
  }

 private:
  void take_in(const QueryTile& tile, Interval keys, FlashBackwardScratch& scratch);
  void store_tile(const HeadGroup& group, Interval keys, FlashBackwardScratch& scratch) const;

  const Problem& problem_;
  const BackwardArguments& arguments_;
  Device& device_;
  const FlashTiles& tiles_;
  FlashGradients gradients_;
  BiasGradient dbias_;
  DQuerySums dquery_;
};

void FlashKeyPass::Run::tile(const HeadGroup& group, index key_tile, FlashBackwardScratch& scratch) {
  const index first = key_tile * tiles_.keys, heads = problem_.shape.heads / problem_.shape.kv_heads;
  const Interval keys{first, std::min(first + tiles_.keys, stored_rows(problem_, group.batch).keys) - 1};
  const Sequence sequence = problem_.sequence(group.batch);
  const Interval real_keys{first, std::min(keys.last, sequence.keys - 1)};
  gradients_.load_keys(group, real_keys, scratch);
  for (index head = group.kv_head * heads; head < (group.kv_head + 1) * heads; ++head) {
    QueryTile tile(problem_, arguments_, group.batch, head, 0);
    for (; tile.first_query < sequence.queries; tile.first_query += tiles_.queries) take_in(tile, real_keys, scratch);
  }
  store_tile(group, keys, scratch);
}

void FlashKeyPass::Run::take_in(const QueryTile& tile, Interval keys, FlashBackwardScratch& scratch) {
  const index end = std::min(tile.first_query + tiles_.queries, tile.sequence.queries);
  const Interval queries{tile.first_query, end - 1};
  if (!tile.visible.any(queries, keys)) return;
  gradients_.load_queries(tile, queries, scratch);
  gradients_.add_to_dkey_dvalue(tile, queries, keys, dquery_.summed_here(), dbias_, scratch);
  if (!dquery_.summed_here()) return;
  for (index i = 0; i < queries.count(); ++i)
    dquery_.add(tile.batch, tile.head, queries.first + i, scratch.dQ.data() + i * tiles_.dim_width());
}

void FlashKeyPass::Run::store_tile(const HeadGroup& group, Interval keys, FlashBackwardScratch& scratch) const {
  for (index j = 0; j < keys.count(); ++j) {
    const float *dk = scratch.dK.data() + j * tiles_.dim_width(), *dv = scratch.dV.data() + j * tiles_.value_width();
    for (index c = 0; c < tiles_.dim; ++c)
      arguments_.dkey.set(group.batch, group.kv_head, keys.first + j, c, gradients_.dkey_factor() * double{dk[c]});
    for (index c = 0; c < tiles_.value_dim; ++c)
      arguments_.dvalue.set(group.batch, group.kv_head, keys.first + j, c, gradients_.dvalue_factor() * double{dv[c]});
  }
  scratch.work.bytes += keys.count() * (row_bytes(arguments_.dkey) + row_bytes(arguments_.dvalue));
}

FlashKeyPass::FlashKeyPass(const Problem& problem, const FlashBlocks& blocks, DQuery dquery, index most_workers)
    : problem_(problem),
      tiles_(blocks, problem),
      dquery_(dquery),
      most_workers_(most_workers),
      key_tiles_(tiles_of(problem.shape.keys, tiles_.keys)),
      shares_(BiasGradient::shares(problem)) {}

index FlashKeyPass::jobs() const {
  const auto shares = static_cast<index>(shares_.size());
  return dquery_ == DQuery::in_order ? shares : shares * key_tiles_;
}

index FlashKeyPass::workers() const {
  const Shape& shape = problem_.shape;
  const index products = shape.rows() * shape.keys * (3 * shape.dim + 2 * shape.value_dim);
  return useful_workers(most_workers_, jobs(), products);
}

index FlashKeyPass::bytes() const {
  return workers() * FlashBackwardScratch::bytes(tiles_) + BiasGradient::bytes(problem_) +
         DQuerySums::bytes(problem_, dquery_);
}

void FlashKeyPass::run(const BackwardArguments& arguments, Device& device) const {
  Run run(*this, arguments, device);
  Workers<FlashBackwardScratch> workers(this->workers(), device, tiles_);
  workers.for_each(jobs(), [&](index job, FlashBackwardScratch& scratch) {
    const bool in_order = dquery_ == DQuery::in_order;
    const index first = in_order ? 0 : job % key_tiles_, end = in_order ? key_tiles_ : first + 1;
    for (const HeadGroup& group : shares_[static_cast<std::size_t>(in_order ? job : job / key_tiles_)])
      for (index tile = first; tile < end; ++tile) run.tile(group, tile, scratch);
    device.compute(std::exchange(scratch.work, {}));
  });
  run.store();
}

}  // namespace attestone
