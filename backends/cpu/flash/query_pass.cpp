// SPDX-License-Identifier: Apache-2.0
// dQ on its own: a tile of queries stays; tiles of keys pass by, their scores computed once more.
#include "backends/cpu/flash/backward.hpp"
#include "backends/cpu/parts/stored_rows.hpp"
#include "backends/cpu/parts/workers.hpp"

namespace attestone {

FlashQueryPass::FlashQueryPass(const Problem& problem, const FlashBlocks& blocks, index most_workers)
    : problem_(problem), tiles_(blocks, problem), most_workers_(most_workers) {}

index FlashQueryPass::jobs() const {
  const Shape& shape = problem_.shape;
  return shape.batch * shape.heads * tiles_.query_tiles(shape.queries);
}

index FlashQueryPass::workers() const {
  const Shape& shape = problem_.shape;
  return useful_workers(most_workers_, jobs(), shape.rows() * shape.keys * (2 * shape.dim + shape.value_dim));
}

index FlashQueryPass::bytes() const { return workers() * FlashBackwardScratch::bytes(tiles_); }

void FlashQueryPass::run(const BackwardArguments& arguments, Device& device) const {
  const Shape& shape = problem_.shape;
  const index query_tiles = tiles_.query_tiles(shape.queries);
  const FlashGradients gradients(problem_, arguments, tiles_);
  Workers<FlashBackwardScratch> workers(this->workers(), device, tiles_);
  workers.for_each(jobs(), [&](index job, FlashBackwardScratch& scratch) {
    const index head = job / query_tiles % shape.heads, batch = job / query_tiles / shape.heads;
    const index first = job % query_tiles * tiles_.queries;
    const index end = std::min(first + tiles_.queries, stored_rows(problem_, batch).queries);
    const QueryTile tile(problem_, arguments, batch, head, first);
    const Interval queries{first, std::min(end, tile.sequence.queries) - 1};
    gradients.load_queries(tile, queries, scratch);
    for (index key = 0; key < tile.sequence.keys; key += tiles_.keys) {
      const Interval keys{key, std::min(key + tiles_.keys, tile.sequence.keys) - 1};
      if (!tile.visible.any(queries, keys)) continue;
      gradients.load_keys({batch, shape.kv_head(head)}, keys, scratch);
      gradients.add_to_dquery(tile, queries, keys, scratch);
    }
    for (index query = first; query < end; ++query)
      for (index c = 0; c < shape.dim; ++c) {
        const float sum = scratch.dQ[(query - first) * tiles_.dim_width() + c];
        arguments.dquery.set(batch, head, query, c, gradients.dquery_factor() * double{sum});
      }
    scratch.work.bytes += std::max(end - first, index{0}) * row_bytes(arguments.dquery);
    device.compute(std::exchange(scratch.work, {}));
  });
}

}  // namespace attestone
