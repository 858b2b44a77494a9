// SPDX-License-Identifier: Apache-2.0
// FlashAttention as it stands in the paper: tiles of queries stay, tiles of keys pass by.
#include "reference/attention/4_tiled.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "reference/attention/operands.hpp"

namespace attestone {
namespace {

using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Br queries of one head, and what they know of the keys so far.
struct QueryTile {
  index batch, head, first_query;
  VectorXd m, l;  // [Br]
  MatrixXd O;     // [Br, value_dim], not yet divided by l

  void take_in(const MatrixXd& S, const MatrixXd& D, const MatrixXd& V);
};

/// S [Br, Bc], with -infinity where a pair is hidden.
MatrixXd scores(const Operands& operands, const QueryTile& tile, index first_key, index keys) {
  MatrixXd S(tile.m.size(), keys);
  for (index i = 0; i < S.rows(); ++i)
    for (index j = 0; j < keys; ++j) {
      const Pair pair{tile.batch, tile.head, tile.first_query + i, first_key + j};
      S(i, j) = operands.visible(pair) ? operands.score(pair) : -infinity;
    }
  return S;
}

/// D [Br, Bc]: what dropout multiplies each weight by, in P V only.
MatrixXd dropout(const Operands& operands, const QueryTile& tile, index first_key, index keys) {
  MatrixXd D(tile.m.size(), keys);
  for (index i = 0; i < D.rows(); ++i)
    for (index j = 0; j < keys; ++j)
      D(i, j) = operands.dropout({tile.batch, tile.head, tile.first_query + i, first_key + j});
  return D;
}

/// V [Bc, value_dim]
MatrixXd values(const Operands& operands, const QueryTile& tile, index first_key, index keys) {
  MatrixXd V(keys, tile.O.cols());
  for (index j = 0; j < keys; ++j) {
    const auto v = operands.value({tile.batch, tile.head, tile.first_query, first_key + j});
    V.row(j) = Eigen::Map<const RowVectorXd>(v.data(), V.cols());
  }
  return V;
}

void QueryTile::take_in(const MatrixXd& S, const MatrixXd& D, const MatrixXd& V) {
  for (index i = 0; i < S.rows(); ++i) {
    const double m_before = m(i);
    m(i) = std::max(S.row(i).maxCoeff<Eigen::PropagateNaN>(), m_before);
    if (m(i) == -infinity) continue;  // no key yet: infinity - infinity is nobody's score
    const RowVectorXd P = (S.row(i).array() - m(i)).exp();
    const double shrink = std::exp(m_before - m(i));
    l(i) = shrink * l(i) + P.sum();
    O.row(i) *= shrink;
    for (index j = 0; j < P.size(); ++j)
      if (S(i, j) != -infinity && D(i, j) != 0) O.row(i) += D(i, j) * P(j) * V.row(j);
  }
}

void store(const QueryTile& tile, Answer& answer) {
  for (index i = 0; i < tile.m.size(); ++i) {
    if (tile.l(i) == 0) continue;  // an empty row is empty already
    const index query = tile.first_query + i;
    const auto o = answer.out(tile.batch, tile.head, query);
    Eigen::Map<RowVectorXd>(o.data(), tile.O.cols()) = tile.O.row(i) / tile.l(i);
    answer.log_sum_exp(tile.batch, tile.head, query) = tile.m(i) + std::log(tile.l(i));
  }
}

}  // namespace

Answer tiled_attention(const Problem& problem, const Inputs& inputs, index query_block, index key_block) {
  const auto& [batches, heads, kv_heads, queries, keys, dim, value_dim] = problem.shape;
  const Operands operands(problem, inputs);
  Answer answer(problem.shape);
  for (index batch = 0; batch < batches; ++batch)
    for (index head = 0; head < heads; ++head)
      for (index first_query = 0; first_query < queries; first_query += query_block) {
        const index rows = std::min(query_block, queries - first_query);
        const double sink = operands.sink(head);
        QueryTile tile{batch,
                       head,
                       first_query,
                       VectorXd::Constant(rows, sink),
                       VectorXd::Constant(rows, sink == -infinity ? 0 : 1),
                       MatrixXd::Zero(rows, value_dim)};
        for (index first_key = 0; first_key < keys; first_key += key_block) {
          const index here = std::min(key_block, keys - first_key);
          tile.take_in(scores(operands, tile, first_key, here), dropout(operands, tile, first_key, here),
                       values(operands, tile, first_key, here));
        }
        store(tile, answer);
      }
  return answer;
}

}  // namespace attestone
