// SPDX-License-Identifier: Apache-2.0
// A tile of keys stays, tiles of queries pass by; what a tile of pairs sends is five products of matrices.
#include "reference/attention/8_recomputation.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <functional>
#include <limits>

namespace attestone {
namespace {

using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Br queries of one head and Bc keys that may be theirs.
struct Tile {
  Pair first;
  index queries, keys;

  Pair pair(index i, index j) const { return {first.batch, first.head, first.query + i, first.key + j}; }
};

/// The forward pass's inputs and answers for a tile of pairs.
struct Known {
  MatrixXd Q, O, dO;     // [Br, dim], [Br, value_dim], [Br, value_dim]
  MatrixXd K, V;         // [Bc, dim], [Bc, value_dim]
  VectorXd L;            // [Br]
  MatrixXd S, D, slope;  // [Br, Bc]: scores, -infinity where hidden; dropout; ds / d(q.k)
};

/// The gradients that the tile sends.
struct Sent {
  MatrixXd dQ, dK, dV;  // of the extents of Q, K, V
  MatrixXd dS;          // [Br, Bc]
};

/// [count, channels]: row(i) for each i.
template <class Row>
MatrixXd rows(index count, index channels, Row row) {
  MatrixXd all(count, channels);
  for (index i = 0; i < count; ++i) all.row(i) = Eigen::Map<const RowVectorXd>(row(i).data(), channels);
  return all;
}

/// [Br, Bc]: a number for each pair.
template <class Number>
MatrixXd of_pairs(const Tile& tile, Number number) {
  return MatrixXd::NullaryExpr(tile.queries, tile.keys,
                               [&](index i, index j) -> double { return number(tile.pair(i, j)); });
}

Known known(const Tile& tile, const Operands& operands, const Answer& answer) {
  const index dim = operands.shape().dim, value_dim = operands.shape().value_dim;
  const index queries = tile.queries, keys = tile.keys;
  const Pair& first = tile.first;
  return {
      .Q = rows(queries, dim, [&](index i) { return operands.query(tile.pair(i, 0)); }),
      .O = rows(queries, value_dim, [&](index i) { return answer.out(first.batch, first.head, first.query + i); }),
      .dO = rows(queries, value_dim, [&](index i) { return operands.dout(tile.pair(i, 0)); }),
      .K = rows(keys, dim, [&](index j) { return operands.key(tile.pair(0, j)); }),
      .V = rows(keys, value_dim, [&](index j) { return operands.value(tile.pair(0, j)); }),
      .L = VectorXd::NullaryExpr(queries,
                                 [&](index i) { return answer.log_sum_exp(first.batch, first.head, first.query + i); }),
      .S = of_pairs(tile, [&](const Pair& at) { return operands.visible(at) ? operands.score(at) : -infinity; }),
      .D = of_pairs(tile, [&](const Pair& at) { return operands.dropout(at); }),
      .slope = of_pairs(tile, [&](const Pair& at) { return operands.visible(at) ? operands.slope(at) : 0; }),
  };
}

/// A B, where a 0 of A is a pair that takes no part: what B holds there does not matter, NaN included.
MatrixXd product(const MatrixXd& A, const MatrixXd& B) {
  MatrixXd C = MatrixXd::Zero(A.rows(), B.cols());
  for (index i = 0; i < A.rows(); ++i)
    for (index j = 0; j < A.cols(); ++j)
      if (A(i, j) != 0) C.row(i) += A(i, j) * B.row(j);
  return C;
}

/// The inner loop of Algorithm 2.
Sent differentiated(const Known& tile) {
  const auto& [Q, O, dO, K, V, L, S, D, slope] = tile;
  const auto hidden = S.array() == -infinity, dropped = D.array() == 0;
  const VectorXd delta = (dO.array() * O.array()).rowwise().sum();

  const MatrixXd P = hidden.select(0, (S.colwise() - L).array().exp());
  const MatrixXd dP = dropped.select(0, D.array() * (dO * V.transpose()).array());
  const MatrixXd dS = hidden.select(0, P.array() * (dP.colwise() - delta).array());
  const MatrixXd dU = slope.array() * dS.array();  // of U = Q K^T

  return {.dQ = product(dU, K),
          .dK = product(dU.transpose(), Q),
          .dV = product((D.array() * P.array()).matrix().transpose(), dO),
          .dS = dS};
}

void add_rows(const MatrixXd& from, const std::function<std::span<double>(index)>& to) {
  for (index i = 0; i < from.rows(); ++i) Eigen::Map<RowVectorXd>(to(i).data(), from.cols()) += from.row(i);
}

/// Whoever shares an input adds up there.
void add(const Sent& sent, const Tile& tile, index kv_head, Gradient& gradient) {
  const Pair& first = tile.first;
  add_rows(sent.dQ, [&](index i) { return gradient.query(first.batch, first.head, first.query + i); });
  add_rows(sent.dK, [&](index j) { return gradient.key(first.batch, kv_head, first.key + j); });
  add_rows(sent.dV, [&](index j) { return gradient.value(first.batch, kv_head, first.key + j); });
  if (!gradient.sink.all().empty()) gradient.sink(0, first.head, 0)[0] -= sent.dS.sum();
  if (gradient.bias.all().empty()) return;
  for (index i = 0; i < tile.queries; ++i)
    for (index j = 0; j < tile.keys; ++j)
      gradient.bias(first.batch, first.head, first.query + i)[static_cast<std::size_t>(first.key + j)] += sent.dS(i, j);
}

}  // namespace

Gradient recomputed_gradient(const Problem& problem, const Inputs& inputs, const Answer& answer, index query_block,
                             index key_block) {
  require(inputs.dout.has_value(), "a problem with gradients has a dO");
  const Shape& shape = problem.shape;
  const Operands operands(problem, inputs);
  Gradient gradient(inputs);
  for (Pair at; at.batch < shape.batch; ++at.batch)
    for (at.head = 0; at.head < shape.heads; ++at.head)
      for (at.key = 0; at.key < shape.keys; at.key += key_block)
        for (at.query = 0; at.query < shape.queries; at.query += query_block) {
          const Tile tile{at, std::min(query_block, shape.queries - at.query),
                          std::min(key_block, shape.keys - at.key)};
          add(differentiated(known(tile, operands, answer)), tile, shape.kv_head(at.head), gradient);
        }
  return gradient;
}

}  // namespace attestone
