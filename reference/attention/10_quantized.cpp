// SPDX-License-Identifier: Apache-2.0
// SageAttention in exact arithmetic: what is lost is lost to the codes alone.
#include "reference/attention/10_quantized.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "reference/attention/operands.hpp"
#include "reference/require.hpp"

namespace attestone {
namespace {

using Codes = Eigen::Matrix<std::int64_t, Eigen::Dynamic, Eigen::Dynamic>;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Numbers that share a scale: x is read as scale * code.
struct Coded {
  double scale;
  Codes codes;

  Coded(const MatrixXd& x, int largest) : scale(x.size() ? x.cwiseAbs().maxCoeff() / largest : 0) {
    codes = x.unaryExpr([&](double each) { return scale == 0 ? 0 : std::llround(each / scale); }).cast<std::int64_t>();
  }
};

/// Rows of one head, all of them.
template <class Row>
MatrixXd matrix(index rows, index channels, const Row& row) {
  MatrixXd all(rows, channels);
  for (index r = 0; r < rows; ++r) all.row(r) = Eigen::Map<const RowVectorXd>(row(r).data(), channels);
  return all;
}

/// One head: K without its mean, in tiles; V by channel.
struct Head {
  RowVectorXd mean;           // [dim] of K
  std::vector<Coded> keys;    // each [Bc, dim]
  std::vector<Coded> values;  // each [keys, 1]

  Head(const MatrixXd& K, const MatrixXd& V, index key_block, int largest)
      : mean(K.rows() ? RowVectorXd(K.colwise().mean()) : RowVectorXd::Zero(K.cols())) {
    const MatrixXd centred = K.rowwise() - mean;
    for (index first = 0; first < K.rows(); first += key_block)
      keys.emplace_back(centred.middleRows(first, std::min(key_block, K.rows() - first)), largest);
    for (index c = 0; c < V.cols(); ++c) values.emplace_back(V.col(c), largest);
  }
};

/// One query, and what it knows of the keys so far.
struct Row {
  double m = -infinity, l = 0;
  RowVectorXd o;  // [value_dim], not yet divided by l

  /// S [Bc], with -infinity where a key is hidden; the codes of V from first_key on.
  void take_in(const RowVectorXd& S, const std::vector<Coded>& V, index first_key, int largest) {
    const double m_before = m;
    m = std::max(m, S.maxCoeff());
    if (m == -infinity) return;
    const RowVectorXd P = (S.array() - m).exp();
    const double shrink = std::exp(m_before - m);
    l = shrink * l + P.sum();
    const Codes p = (P * largest).array().round().cast<std::int64_t>();
    for (index c = 0; c < o.size(); ++c) {
      const Coded& v = V[static_cast<std::size_t>(c)];
      const std::int64_t sum = (p * v.codes.middleRows(first_key, p.size()))(0, 0);
      o(c) = shrink * o(c) + v.scale / largest * static_cast<double>(sum);
    }
  }
};

}  // namespace

Answer quantized_attention(const Problem& problem, const Inputs& inputs, int largest, index query_block,
                           index key_block) {
  require(problem.score.terms().empty() && problem.dropout == 0, "step 10 codes plain scores");
  const Shape& shape = problem.shape;
  const Operands operands(problem, inputs);
  const double sigma = problem.scale();
  Answer answer(shape);
  for (index batch = 0; batch < shape.batch; ++batch)
    for (index head = 0; head < shape.heads; ++head) {
      const auto at = [&](index query, index key) { return Pair{batch, head, query, key}; };
      const MatrixXd Q = matrix(shape.queries, shape.dim, [&](index i) { return operands.query(at(i, 0)); });
      const MatrixXd K = matrix(shape.keys, shape.dim, [&](index j) { return operands.key(at(0, j)); });
      const MatrixXd V = matrix(shape.keys, shape.value_dim, [&](index j) { return operands.value(at(0, j)); });
      const Head of_keys(K, V, key_block, largest);
      for (index query = 0; query < shape.queries; ++query) {
        const index first_query = query / query_block * query_block;
        const Coded q(Q.middleRows(first_query, std::min(query_block, shape.queries - first_query)), largest);
        Row row{.o = RowVectorXd::Zero(shape.value_dim)};
        for (index first = 0; first < shape.keys; first += key_block) {
          const Coded& k = of_keys.keys[static_cast<std::size_t>(first / key_block)];
          const Codes products = q.codes.row(query - first_query) * k.codes.transpose();
          RowVectorXd S = sigma * q.scale * k.scale * products.cast<double>();
          for (index j = 0; j < S.size(); ++j)
            if (!operands.visible(at(query, first + j))) S(j) = -infinity;
          row.take_in(S, of_keys.values, first, largest);
        }
        if (row.l == 0) continue;  // an empty row is empty already
        Eigen::Map<RowVectorXd>(answer.out(batch, head, query).data(), shape.value_dim) = row.o / row.l;
        answer.log_sum_exp(batch, head, query) = row.m + std::log(row.l) + sigma * Q.row(query).dot(of_keys.mean);
      }
    }
  return answer;
}

}  // namespace attestone
