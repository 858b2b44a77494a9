// SPDX-License-Identifier: Apache-2.0
// dQ on its own: a tile of queries stays; tiles of keys pass by, their scores computed once more.
#include "backends/cpu/attend/backward_passes.hpp"
#include "backends/cpu/parts/stored_rows.hpp"
#include "backends/cpu/parts/workers.hpp"
#include "backends/cpu/simd/transpose.hpp"

namespace attestone::inline backends {
namespace {

/// dQ of one panel of queries becomes rows of the scratch; those behind the sequence are 0.
void sum_panel(const AttendGradients& gradients, const AttendedHead& head, Interval stored, index block_kv, index dim,
               GradientScratch& scratch) {
  const Interval queries{stored.first, std::min(stored.last, head.sequence.queries - 1)};
  if (queries.count() > 0) gradients.load_queries(head, queries, scratch);
  for (const Interval all : equal_stretches(queries.count() > 0 ? head.sequence.keys : 0, block_kv)) {
    const Interval keys = head.visible.outermost(queries, all);
    if (keys.count() == 0) continue;
    const AttendGradients::KeyTile tile = gradients.load_keys(head.batch, head.kv_head, keys, scratch);
    gradients.differentiate(head, queries, tile, keys, nullptr, scratch);
    gradients.add_to_dquery(queries, tile, keys, scratch);
  }
  std::fill_n(scratch.rows.data(), stored.count() * dim, 0.0f);
  panel_to_rows(scratch.dQT.data(), dim, queries.count(), scratch.rows.data(), dim);
}

}  // namespace

QueryPass::QueryPass(const Problem& problem, const AttendBlocks& blocks, index most_workers)
    : problem_(problem), blocks_(blocks), most_workers_(most_workers) {}

index QueryPass::jobs() const {
  const Shape& shape = problem_.shape;
  return shape.batch * shape.heads * tiles_of(shape.queries, blocks_.queries);
}

index QueryPass::workers() const {
  const Shape& shape = problem_.shape;
  return useful_workers(most_workers_, jobs(), shape, 2 * shape.dim + shape.value_dim);
}

index QueryPass::bytes() const { return workers() * GradientScratch::bytes(problem_, blocks_.keys); }

void QueryPass::run(const BackwardArguments& arguments, Device& device) const {
  if (!arguments.dquery.exists()) return;
  const index dim = problem_.shape.dim, query_tiles = tiles_of(problem_.shape.queries, blocks_.queries);
  const AttendGradients gradients(problem_, arguments);
  const std::vector<AttendedHead> heads = attended_heads(problem_, arguments);
  Workers<GradientScratch> workers(this->workers(), device, problem_, blocks_.keys);
  workers.for_each(jobs(), [&](index job, GradientScratch& scratch) {
    const AttendedHead& head = heads[static_cast<std::size_t>(job / query_tiles)];
    const index begin = job % query_tiles * blocks_.queries;
    const index end = std::min(begin + blocks_.queries, stored_rows(problem_, head.batch).queries);
    for (index first = begin; first < end; first += panel_queries) {
      const Interval stored{first, std::min(first + panel_queries, end) - 1};
      sum_panel(gradients, head, stored, blocks_.keys, dim, scratch);
      store_float_rows(arguments.dquery, head.batch, head.head, stored, {scratch.rows.data(), dim},
                       gradients.dquery_factor());
      scratch.work.bytes += stored.count() * row_bytes(arguments.dquery);
    }
    device.compute(std::exchange(scratch.work, {}));
  });
}

}  // namespace attestone::inline backends
