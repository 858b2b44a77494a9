// SPDX-License-Identifier: Apache-2.0
// A block of the score matrix and of its gradient, for the kernels that multiply whole matrices.
#pragma once

#include "backends/cpu/parts/gradient_row.hpp"
#include "backends/cpu/parts/score_block.hpp"

namespace attestone::inline backends {

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

}  // namespace attestone::inline backends
