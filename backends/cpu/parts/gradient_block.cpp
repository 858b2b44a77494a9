// SPDX-License-Identifier: Apache-2.0
// Loading what the forward pass left, and the five products of the backward pass.
#include "backends/cpu/parts/gradient_block.hpp"

namespace attestone::inline backends {

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

}  // namespace attestone::inline backends
