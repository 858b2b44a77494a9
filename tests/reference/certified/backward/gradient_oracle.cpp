// SPDX-License-Identifier: Apache-2.0
// Rule 8 with the letters of the papers: P, dP, delta, dS.
#include "tests/reference/certified/backward/gradient_oracle.hpp"

#include <cmath>

#include "reference/call/bias.hpp"
#include "reference/call/dropout.hpp"

namespace attestone {
namespace {

/// One query row: keys that it sees, and of each the weight, dP, the slope of the softcap, and whether it is kept.
struct Row {
  std::vector<index> keys;
  std::vector<Real> P, dP, slope, dP_magnitude;
  std::vector<bool> kept;
  Real sink_P, factor;
};

double element(const Tensor& tensor, index b, index h, index r, index c) { return tensor.view().value(b, h, r, c); }

/// Score and slope of one pair.
std::pair<Real, Real> score_of(const Problem& p, const Inputs& in, const Pair& at) {
  Real s;
  for (index c = 0; c < p.shape.dim; ++c)
    s += Real(element(in.query, at.batch, at.head, at.query, c)) *
         Real(element(in.key, at.batch, p.shape.kv_head(at.head), at.key, c));
  s *= Real(p.scale());
  Real slope(1);
  if (const auto cap = p.score.softcap()) {
    const Real t = tanh(s / Real(*cap));
    s = Real(*cap) * t;
    slope = Real(1) - t * t;
  }
  return {s + Real(Bias(p, in).of(at)), slope};
}

Row row_of(const Problem& p, const Inputs& in, index b, index h, index i) {
  Row row;
  std::vector<Real> scores;
  for (index j = 0; j < p.shape.keys; ++j) {
    const Pair at{b, h, i, j};
    if (!p.visible(at) || Bias(p, in).of(at) == -HUGE_VAL) continue;
    const auto [s, slope] = score_of(p, in, at);
    Real dP, magnitude;
    for (index c = 0; c < p.shape.value_dim; ++c) {
      const Real term = Real(element(*in.dout, b, h, i, c)) * Real(element(in.value, b, p.shape.kv_head(h), j, c));
      dP += term;
      magnitude += abs(term);
    }
    row.keys.push_back(j);
    scores.push_back(s);
    row.slope.push_back(slope);
    row.dP.push_back(dP);
    row.dP_magnitude.push_back(magnitude);
    row.kept.push_back(p.dropout == 0 || Dropout(p).keeps(at));
  }
  const double sink = in.sink ? element(*in.sink, 0, h, 0, 0) : -HUGE_VAL;
  row.factor = Real(1) / (Real(1) - Real(p.dropout));
  if (scores.empty()) return row;
  Real top = scores.front(), total;
  for (const Real& s : scores) top = top < s ? s : top;
  if (std::isfinite(sink) && top < Real(sink)) top = Real(sink);
  for (const Real& s : scores) total += exp(s - top);
  if (std::isfinite(sink)) row.sink_P = exp(Real(sink) - top), total += row.sink_P;
  for (const Real& s : scores) row.P.push_back(exp(s - top) / total);
  row.sink_P /= total;
  return row;
}

/// Where a pair's term goes in a tensor that lacks some of its axes.
std::size_t broadcast_place(const OracleTensor& tensor, const Pair& at) {
  const auto on = [&](std::size_t axis, index i) { return tensor.extents[axis] == 1 ? 0 : i; };
  return tensor.place(on(0, at.batch), on(1, at.head), on(2, at.query), on(3, at.key));
}

void add_row(const Problem& p, const Inputs& in, index b, index h, index i, OracleGradients& sums) {
  const Row row = row_of(p, in, b, h, i);
  const index kv = p.shape.kv_head(h);
  const auto D = [&](std::size_t n) { return row.kept[n] ? row.factor : Real(0); };
  Real delta, delta_magnitude;
  for (std::size_t n = 0; n < row.keys.size(); ++n) {
    delta += row.P[n] * D(n) * row.dP[n];
    delta_magnitude += row.P[n] * D(n) * row.dP_magnitude[n];
  }
  for (std::size_t n = 0; n < row.keys.size(); ++n) {
    const index j = row.keys[n];
    const Real dS = row.P[n] * (D(n) * row.dP[n] - delta), dY = Real(p.scale()) * dS * row.slope[n];
    const Real magnitude = row.P[n] * (D(n) * row.dP_magnitude[n] + delta_magnitude);
    const Real dY_magnitude = abs(Real(p.scale())) * magnitude;
    for (index c = 0; c < p.shape.dim; ++c) {
      const double k = element(in.key, b, kv, j, c), q = element(in.query, b, h, i, c);
      sums.query.add(sums.query.place(b, h, i, c), dY * Real(k), dY_magnitude * abs(Real(k)));
      sums.key.add(sums.key.place(b, kv, j, c), dY * Real(q), dY_magnitude * abs(Real(q)));
    }
    for (index c = 0; c < p.shape.value_dim; ++c) {
      const Real term = row.P[n] * D(n) * Real(element(*in.dout, b, h, i, c));
      sums.value.add(sums.value.place(b, kv, j, c), term, abs(term));
    }
    if (sums.bias) sums.bias->add(broadcast_place(*sums.bias, {b, h, i, j}), dS, magnitude);
  }
  if (sums.sink)
    sums.sink->add(broadcast_place(*sums.sink, {b, h, i, 0}), Real(0) - row.sink_P * delta, delta_magnitude);
}

}  // namespace

OracleGradients oracle_gradients(const Problem& p, const Inputs& in) {
  OracleGradients sums{OracleTensor(in.query.view().extents()), OracleTensor(in.key.view().extents()),
                       OracleTensor(in.value.view().extents()), std::nullopt, std::nullopt};
  if (in.bias) sums.bias.emplace(in.bias->view().extents());
  if (in.sink) sums.sink.emplace(in.sink->view().extents());
  for (index b = 0; b < p.shape.batch; ++b)
    for (index h = 0; h < p.shape.heads; ++h)
      for (index i = 0; i < p.shape.queries; ++i) add_row(p, in, b, h, i, sums);
  return sums;
}

Real oracle_loss(const Problem& p, const Inputs& in) {
  Real loss;
  for (index b = 0; b < p.shape.batch; ++b)
    for (index h = 0; h < p.shape.heads; ++h)
      for (index i = 0; i < p.shape.queries; ++i) {
        const Row row = row_of(p, in, b, h, i);
        for (std::size_t n = 0; n < row.keys.size(); ++n)
          if (row.kept[n]) loss += row.P[n] * row.factor * row.dP[n];
      }
  return loss;
}

}  // namespace attestone
