// SPDX-License-Identifier: Apache-2.0
// FlashAttention-2, Algorithm 2: a tile of keys stays; tiles of queries pass by.
#include <atomic>

#include "backends/cpu/attend/backward_passes.hpp"
#include "backends/cpu/parts/codec.hpp"
#include "backends/cpu/parts/stored_rows.hpp"
#include "backends/cpu/parts/workers.hpp"
#include "backends/cpu/simd/transpose.hpp"

namespace attestone::inline backends {
namespace {

/// dQ of the whole problem while tiles of keys add to it: sums in f32 [batch, heads, queries, dim]; nothing at all if
/// dQ is summed elsewhere.
class DQuerySums {
 public:
  DQuerySums(Device& device, const Problem& problem, DQuery how)
      : problem_(problem),
        how_(how),
        sums_(device, bytes(problem, how) / static_cast<index>(sizeof(float)), "sums of dquery") {
    std::ranges::fill(sums_.span(), 0.0f);
  }
  /// 4 bytes for every element of dQ.
  static index bytes(const Problem& problem, DQuery how) {
    if (how == DQuery::elsewhere) return 0;
    return problem.shape.rows() * problem.shape.dim * static_cast<index>(sizeof(float));
  }

  bool summed_here() const { return how_ != DQuery::elsewhere; }

  /// Adds one row [dim]. Threads may meet in one row if they add as they come, and only then.
  void add(index batch, index head, index query, const float* dq) {
    float* sums = row(batch, head, query);
    if (how_ == DQuery::as_it_comes)
      for (index c = 0; c < problem_.shape.dim; ++c)
        std::atomic_ref<float>(sums[c]).fetch_add(dq[c], std::memory_order_relaxed);
    else
      for (index c = 0; c < problem_.shape.dim; ++c) sums[c] += dq[c];
  }

  /// Rounds `factor` times the sums to the output format.
  void store(const View& dquery, double factor, Device& device) {
    const Shape& shape = problem_.shape;
    for (index b = 0; b < shape.batch; ++b) {
      const Interval rows{0, stored_rows(problem_, b).queries - 1};
      for (index h = 0; h < shape.heads; ++h) store_float_rows(dquery, b, h, rows, {row(b, h, 0), shape.dim}, factor);
      device.compute({.bytes = shape.heads * rows.count() * row_bytes(dquery)});
    }
  }

 private:
  float* row(index batch, index head, index query) {
    const Shape& shape = problem_.shape;
    return sums_.data() + ((batch * shape.heads + head) * shape.queries + query) * shape.dim;
  }

  const Problem& problem_;
  DQuery how_;
  Allocation<float> sums_;
};

}  // namespace

/// One run of the pass: what all of its jobs share.
class KeyPass::Run {
 public:
  Run(const KeyPass& pass, const BackwardArguments& arguments, Device& device)
      : problem_(pass.problem_),
        arguments_(arguments),
        device_(device),
        blocks_(pass.blocks_),
        gradients_(problem_, arguments),
        heads_(attended_heads(problem_, arguments)),
        dbias_(device, problem_),
        dquery_(device, problem_, pass.dquery_) {}

  /// dK and dV of one tile of keys of one group of heads.
  void tile(const HeadGroup& group, Interval keys, GradientScratch& scratch);
  void store() {
    dbias_.store(arguments_.dbias);
    if (dquery_.summed_here()) dquery_.store(arguments_.dquery, gradients_.dquery_factor(), device_);
  }

 private:
  void take_in(const AttendedHead&, Interval queries, const AttendGradients::KeyTile&, GradientScratch& scratch);
  void store_tile(const HeadGroup& group, Interval keys, GradientScratch& scratch) const;

  const Problem& problem_;
  const BackwardArguments& arguments_;
  Device& device_;
  AttendBlocks blocks_;
  AttendGradients gradients_;
  std::vector<AttendedHead> heads_;
  BiasGradient dbias_;
  DQuerySums dquery_;
};

void KeyPass::Run::tile(const HeadGroup& group, Interval keys, GradientScratch& scratch) {
  const index in_group = problem_.shape.heads / problem_.shape.kv_heads;
  const Sequence sequence = problem_.sequence(group.batch);
  const Interval real{keys.first, std::min(keys.last, sequence.keys - 1)};
  gradients_.start_dkey_dvalue(keys.count(), scratch);
  const AttendGradients::KeyTile tile = gradients_.load_keys(group.batch, group.kv_head, real, scratch);
  const index first_head = group.batch * problem_.shape.heads + group.kv_head * in_group;
  for (index head = first_head; head < first_head + in_group; ++head)
    for (const Interval queries : equal_stretches(sequence.queries, std::min(blocks_.queries, panel_queries)))
      take_in(heads_[static_cast<std::size_t>(head)], queries, tile, scratch);
  store_tile(group, keys, scratch);
}

void KeyPass::Run::take_in(const AttendedHead& head, Interval queries, const AttendGradients::KeyTile& tile,
                           GradientScratch& scratch) {
  if (!head.visible.any(queries, tile.keys)) return;
  gradients_.load_queries(head, queries, scratch);
  for (index first = tile.keys.first; first <= tile.keys.last; first += blocks_.compute) {
    const Interval step{first, std::min(first + blocks_.compute - 1, tile.keys.last)};
    const Interval keys = head.visible.outermost(queries, step);
    if (keys.count() == 0) continue;
    gradients_.differentiate(head, queries, tile, keys, &dbias_, scratch);
    if (dquery_.summed_here()) gradients_.add_to_dquery(queries, tile, keys, scratch);
    gradients_.add_to_dkey_dvalue(queries, tile, keys, scratch);
  }
  if (!dquery_.summed_here()) return;
  const index dim = problem_.shape.dim;
  panel_to_rows(scratch.dQT.data(), dim, queries.count(), scratch.rows.data(), dim);
  for (index i = 0; i < queries.count(); ++i)
    dquery_.add(head.batch, head.head, queries.first + i, scratch.rows.data() + i * dim);
}

void KeyPass::Run::store_tile(const HeadGroup& group, Interval keys, GradientScratch& scratch) const {
  const auto& [batch, kv_head] = group;
  store_float_rows(arguments_.dkey, batch, kv_head, keys, {scratch.dK.data(), scratch.dim_width},
                   gradients_.dkey_factor());
  store_float_rows(arguments_.dvalue, batch, kv_head, keys, {scratch.dV.data(), scratch.value_width},
                   gradients_.dvalue_factor());
  scratch.work.bytes += keys.count() * (row_bytes(arguments_.dkey) + row_bytes(arguments_.dvalue));
}

KeyPass::KeyPass(const Problem& problem, const AttendBlocks& blocks, DQuery dquery, index most_workers)
    : problem_(problem),
      blocks_(blocks),
      dquery_(dquery),
      most_workers_(most_workers),
      key_tiles_(tiles_of(problem.shape.keys, blocks.keys)),
      shares_(BiasGradient::shares(problem)) {}

index KeyPass::jobs() const {
  const auto shares = static_cast<index>(shares_.size());
  return dquery_ == DQuery::in_order ? shares : shares * key_tiles_;
}

index KeyPass::workers() const {
  const Shape& shape = problem_.shape;
  return useful_workers(most_workers_, jobs(), shape, 3 * shape.dim + 2 * shape.value_dim);
}

index KeyPass::bytes() const {
  return workers() * GradientScratch::bytes(problem_, blocks_.keys) + BiasGradient::bytes(problem_) +
         DQuerySums::bytes(problem_, dquery_);
}

void KeyPass::run(const BackwardArguments& arguments, Device& device) const {
  const bool gives_dquery = dquery_ != DQuery::elsewhere && arguments.dquery.exists();
  if (!gives_dquery && !arguments.dkey.exists() && !arguments.dvalue.exists() && !arguments.dbias) return;
  Run run(*this, arguments, device);
  Workers<GradientScratch> workers(this->workers(), device, problem_, blocks_.keys);
  workers.for_each(jobs(), [&](index job, GradientScratch& scratch) {
    const bool in_order = dquery_ == DQuery::in_order;
    const index first = in_order ? 0 : job % key_tiles_, end = in_order ? key_tiles_ : first + 1;
    for (const HeadGroup& group : shares_[static_cast<std::size_t>(in_order ? job : job / key_tiles_)])
      for (index tile = first; tile < end; ++tile) {
        const index from = tile * blocks_.keys, stored = stored_rows(problem_, group.batch).keys;
        run.tile(group, {from, std::min(from + blocks_.keys, stored) - 1}, scratch);
      }
    device.compute(std::exchange(scratch.work, {}));
  });
  run.store();
}

}  // namespace attestone::inline backends
