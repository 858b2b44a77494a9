// SPDX-License-Identifier: Apache-2.0
// The gradients of the dense kernel: the score matrix of a head anew, its gradient, three more matrix products.
#include "backends/cpu/dense/dense.hpp"
#include "backends/cpu/parts/float_matrix.hpp"
#include "backends/cpu/parts/gradient_row.hpp"
#include "backends/cpu/parts/score_block.hpp"
#include "backends/cpu/parts/sink_gradient.hpp"
#include "backends/cpu/parts/stored_rows.hpp"

namespace attestone::inline backends {
namespace {

/// P and dS of some queries and keys of one head, and what follows from them for dQ, dK and dV.
class GradientBlock {
 public:
  GradientBlock(const Problem&, const BackwardArguments&, Device&, const BlockExtents&);
  /// ScoreBlock::bytes + 4 (2 queries value_dim + queries keys + keys + 2 queries + queries dim + keys dim + keys
  /// value_dim): O and dO; dP; a row of slopes; L and delta; dQ, dK and dV.
  static index bytes(const BlockExtents&);

  void take_queries(const QueryBlock&);
  void take_keys(index batch, index kv_head, Interval keys);
  /// Computes P and dS; adds to the gradient of the bias, unless that is null.
  void differentiate(const ScoreRow&, const VisibleTiles&, BiasGradient*);

  /// The sums start at zero for so many rows, real or padding.
  void start_dquery(index rows) { dQ(rows).setZero(); }
  void start_dkey_dvalue(index rows);
  void add_to_dquery();
  void add_to_dkey_dvalue();
  void store_dquery(const QueryBlock&);  ///< `queries` with their padding
  void store_dkey_dvalue(index batch, index kv_head, Interval keys);

 private:
  FloatMatrix O() { return {o_.data(), block_.Q().rows(), extents_.value_dim}; }
  FloatMatrix dO() { return {dout_.data(), block_.Q().rows(), extents_.value_dim}; }
  FloatMatrix dP() { return {dp_.data(), block_.Q().rows(), block_.K().rows()}; }
  FloatMatrix dQ(index rows) { return {dq_.data(), rows, extents_.dim}; }
  FloatMatrix dK(index rows) { return {dk_.data(), rows, extents_.dim}; }
  FloatMatrix dV(index rows) { return {dv_.data(), rows, extents_.value_dim}; }

  const BackwardArguments& arguments_;
  Device& device_;
  BlockExtents extents_;
  double scale_;
  GradientRow rows_;
  QueryBlock taken_queries_{};
  index kv_head_ = 0;
  ScoreBlock block_;
  Allocation<float> o_, dout_, dp_, slopes_, log_sum_exp_, delta_, dq_, dk_, dv_;
};

}  // namespace

GradientBlock::GradientBlock(const Problem& problem, const BackwardArguments& arguments, Device& device,
                             const BlockExtents& e)
    : arguments_(arguments),
      device_(device),
      extents_(e),
      scale_(problem.scale()),
      rows_(problem, arguments.placement),
      block_(device, e),
      o_(device, e.queries * e.value_dim, "output"),
      dout_(device, e.queries * e.value_dim, "dout"),
      dp_(device, e.queries * e.keys, "dP"),
      slopes_(device, e.keys, "row of slopes"),
      log_sum_exp_(device, e.queries, "log_sum_exp"),
      delta_(device, e.queries, "delta"),
      dq_(device, e.queries * e.dim, "dquery"),
      dk_(device, e.keys * e.dim, "dkey"),
      dv_(device, e.keys * e.value_dim, "dvalue") {}

index GradientBlock::bytes(const BlockExtents& e) {
  const index floats = 2 * e.queries * e.value_dim + e.queries * e.keys + e.keys + 2 * e.queries + e.queries * e.dim +
                       e.keys * e.dim + e.keys * e.value_dim;
  return ScoreBlock::bytes(e) + floats * static_cast<index>(sizeof(float));
}

void GradientBlock::take_queries(const QueryBlock& block) {
  taken_queries_ = block;
  block_.take_queries(arguments_, block);
  const auto& [batch, head, queries] = block;
  read_rows(device_, arguments_.dout, batch, head, queries, dO());
  read_rows(device_, arguments_.log_sum_exp, batch, head, queries, {log_sum_exp_.data(), queries.count(), 1});
  if (arguments_.delta)
    return read_rows(device_, *arguments_.delta, batch, head, queries, {delta_.data(), queries.count(), 1});
  read_rows(device_, arguments_.out, batch, head, queries, O());
  for (index i = 0; i < queries.count(); ++i) delta_[i] = dO().row(i).dot(O().row(i));
}

void GradientBlock::take_keys(index batch, index kv_head, Interval keys) {
  kv_head_ = kv_head;
  block_.take_keys(arguments_, batch, kv_head, keys);
}

void GradientBlock::differentiate(const ScoreRow& scores, const VisibleTiles& visible, BiasGradient* dbias) {
  block_.multiply();
  dP().noalias() = dO() * block_.V().transpose();
  device_.compute({.multiply_adds = dP().size() * extents_.value_dim, .exponentials = dP().size()});
  const index keys = block_.keys().count();
  for (index i = 0; i < block_.Q().rows(); ++i) {
    block_.finish_row(i, scores, visible, slopes_.data());
    const Pair first{taken_queries_.batch, taken_queries_.head, block_.first_query() + i, block_.keys().first};
    rows_.differentiate({first, keys, log_sum_exp_[i], delta_[i], block_.seen().data() + i * keys,
                         block_.S().data() + i * keys, dp_.data() + i * keys, slopes_.data()},
                        dbias);
  }
}

void GradientBlock::start_dkey_dvalue(index rows) {
  dK(rows).setZero();
  dV(rows).setZero();
}

void GradientBlock::add_to_dquery() {
  add_visible_product(device_, dP(), block_.seen(), block_.K(), dQ(dP().rows()), [&] {
    read_rows(device_, arguments_.key, taken_queries_.batch, kv_head_, block_.keys(), block_.K());
  });
}

void GradientBlock::add_to_dkey_dvalue() {
  const QueryBlock& at = taken_queries_;
  const FlagMatrix seen = block_.seen();
  const FloatMatrix P = block_.S(), dS = dP();
  add_visible_product(device_, P.transpose(), seen.transpose(), dO(), dV(P.cols()),
                      [&] { read_rows(device_, arguments_.dout, at.batch, at.head, at.queries, dO()); });
  add_visible_product(device_, dS.transpose(), seen.transpose(), block_.Q(), dK(P.cols()),
                      [&] { read_rows(device_, arguments_.query, at.batch, at.head, at.queries, block_.Q()); });
}

void GradientBlock::store_dquery(const QueryBlock& block) {
  store_rows(device_, arguments_.dquery, block.batch, block.head, block.queries, dQ(block.queries.count()), scale_);
}

void GradientBlock::store_dkey_dvalue(index batch, index kv_head, Interval keys) {
  store_rows(device_, arguments_.dkey, batch, kv_head, keys, dK(keys.count()), scale_);
  store_rows(device_, arguments_.dvalue, batch, kv_head, keys, dV(keys.count()), rows_.kept_factor());
}

index Dense::backward_bytes(const Problem& problem) const {
  const BlockExtents head(problem, problem.shape.queries, problem.shape.keys);
  return std::max(GradientBlock::bytes(head) + BiasGradient::bytes(problem), sink_gradient_bytes(problem));
}

void Dense::backward(const Problem& problem, const BackwardArguments& arguments, Device& device) const {
  const auto& [batches, heads, kv_heads, queries, keys, dim, value_dim] = problem.shape;
  const index group = heads / kv_heads;
  {
    GradientBlock block(problem, arguments, device, {problem, queries, keys});
    BiasGradient dbias(device, problem);
    for (index batch = 0; batch < batches; ++batch) {
      const Sequence sequence = problem.sequence(batch), stored = stored_rows(problem, batch);
      for (index kv_head = 0; kv_head < kv_heads; ++kv_head) {
        block.start_dkey_dvalue(keys);
        block.take_keys(batch, kv_head, {0, sequence.keys - 1});
        for (index head = kv_head * group; head < (kv_head + 1) * group; ++head) {
          block.start_dquery(queries);
          block.take_queries({batch, head, {0, sequence.queries - 1}});
          block.differentiate(ScoreRow(problem, arguments, batch, head, ScoreRow::Base::two),
                              VisibleTiles(problem, arguments, batch, head), &dbias);
          block.add_to_dquery();
          block.add_to_dkey_dvalue();
          block.store_dquery({batch, head, {0, stored.queries - 1}});
        }
        block.store_dkey_dvalue(batch, kv_head, {0, stored.keys - 1});
      }
    }
    dbias.store(arguments.dbias);
  }
  store_sink_gradient(problem, arguments, device);
}

}  // namespace attestone::inline backends
