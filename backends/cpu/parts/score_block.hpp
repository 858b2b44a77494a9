// SPDX-License-Identifier: Apache-2.0
// A block of the score matrix with its operands, as the kernels see it that multiply whole matrices.
#pragma once

#include "backends/cpu/parts/float_matrix.hpp"
#include "backends/cpu/parts/score_row.hpp"
#include "backends/cpu/parts/visible_tiles.hpp"

namespace attestone::inline backends {

/// The sizes that fix the memory of a block: the most queries and keys that it is to hold, and the problem.
struct BlockExtents {
  BlockExtents(const Problem& problem, index most_queries, index most_keys)
      : queries(std::min(most_queries, problem.shape.queries)),
        keys(std::min(most_keys, problem.shape.keys)),
        dim(problem.shape.dim),
        value_dim(problem.shape.value_dim),
        biased_keys(problem.score.bias_tensor() ? keys : 0) {}

  index queries, keys, dim, value_dim;
  index biased_keys;  ///< 0 without a bias tensor
};

/// The queries of a block: they stand in one head of one sequence.
struct QueryBlock {
  index batch, head;
  Interval queries;
};

/// Q and K V of some queries and keys of one head, and S. All float, but for one byte a pair.
class ScoreBlock {
 public:
  ScoreBlock(Device&, const BlockExtents&);
  /// 4 (queries dim + keys dim + keys value_dim + queries keys + biased_keys) + queries keys.
  static index bytes(const BlockExtents&);

  void take_queries(const KernelInputs&, const QueryBlock&);
  /// These keys of a kv head.
  void take_keys(const KernelInputs&, index batch, index kv_head, Interval keys);
  /// S = Q K^T.
  void multiply();
  /// Row i of S becomes scores, -infinity where a pair is hidden; row i of `seen` says which those are.
  void finish_row(index i, const ScoreRow&, const VisibleTiles&, float* slopes = nullptr);

  index first_query() const { return queries_.first; }
  Interval keys() const { return keys_; }
  FloatMatrix Q() { return {q_.data(), queries_.count(), extents_.dim}; }
  FloatMatrix K() { return {k_.data(), keys_.count(), extents_.dim}; }
  FloatMatrix V() { return {v_.data(), keys_.count(), extents_.value_dim}; }
  FloatMatrix S() { return {s_.data(), queries_.count(), keys_.count()}; }
  FlagMatrix seen() { return {seen_.data(), queries_.count(), keys_.count()}; }

 private:
  Device& device_;
  BlockExtents extents_;
  Interval queries_, keys_;
  Allocation<float> q_, k_, v_, s_, biases_;
  Allocation<std::uint8_t> seen_;
};

}  // namespace attestone::inline backends
