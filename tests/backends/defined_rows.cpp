// SPDX-License-Identifier: Apache-2.0
// Scores and the softmax as docs/rules.md has them, with the errors of section 5.2 of the error analysis.
#include "tests/backends/defined_rows.hpp"

#include <algorithm>
#include <cmath>

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

DefinedRows::DefinedRows(const Problem& problem, const Inputs& inputs, const Numerics& numerics)
    : p_(problem),
      in_(inputs),
      n_(numerics),
      bias_(problem, inputs),
      dropout_(problem),
      u_(numerics.value.accumulator.roundoff) {}

void DefinedRows::score(const DefinedRow& r, DefinedPair& pair) const {
  const ConstView query = in_.query.view(), keys = in_.key.view();
  const double scale = p_.scale(), b = bias_.of({r.batch, r.head, r.query, pair.key});
  double s = 0;
  for (index c = 0; c < p_.shape.dim; ++c) {
    const double product = query.value(r.batch, r.head, r.query, c) * keys.value(r.batch, r.kv_head, pair.key, c);
    s += product;
    pair.A += std::abs(product);
  }
  s *= scale;
  pair.A *= scale;
  pair.s_err = gamma(static_cast<double>(p_.shape.dim) + 4, u_) * pair.A;
  pair.f = 1;
  if (const auto cap = p_.score.softcap()) {
    pair.t = std::tanh(s / *cap);
    pair.t_err = pair.s_err / *cap + (2 * u_ + n_.score.tanh_error) * std::abs(pair.t);
    s = *cap * pair.t;
    pair.s_err = *cap * pair.t_err + u_ * std::abs(s);
    pair.f = 1 - pair.t * pair.t;
  }
  pair.s = s + b;
  pair.s_err += u_ * std::abs(pair.s);
}

DefinedRow DefinedRows::row(index batch, index head, index query) const {
  DefinedRow r{batch, head, query, p_.shape.kv_head(head)};
  for (index key = 0; key < p_.shape.keys; ++key) {
    const Pair at{batch, head, query, key};
    if (!p_.visible(at) || bias_.of(at) == -infinity) continue;
    DefinedPair pair{};
    pair.key = key;
    pair.z = dropout_ ? (dropout_.keeps(at) ? dropout_.factor() : 0) : 1;
    score(r, pair);
    r.m = std::max(r.m, pair.s);
    r.pairs.push_back(pair);
  }
  normalise(r);
  return r;
}

/// The softmax over the pairs and the sink, and the errors of the weights.
void DefinedRows::normalise(DefinedRow& r) const {
  const bool has_sink = in_.sink.has_value();
  const double sink = has_sink ? in_.sink->view().value(0, r.head, 0, 0) : -infinity;
  r.m = std::max(r.m, sink);
  if (has_sink) r.ell = std::exp(sink - r.m);
  for (const DefinedPair& pair : r.pairs) r.ell += std::exp(pair.s - r.m);
  r.L = r.ell == 0 ? -infinity : r.m + std::log(r.ell);
  const double n = static_cast<double>(r.pairs.size()) + 1;
  const double tiles = n_.weight.tile_keys == 0
                           ? 1
                           : std::ceil(static_cast<double>(p_.shape.keys) / static_cast<double>(n_.weight.tile_keys));
  const double away =
      n_.weight.reference_below;  // no bound of scores of ordinary inputs is above their maximum by more
  double sum = 0;
  for (DefinedPair& pair : r.pairs) {
    pair.p = std::exp(pair.s - r.L);
    pair.tau = std::expm1(pair.s_err + u_ * (std::abs(pair.s - r.m) + away) + (1 + tiles) * n_.weight.exp_error);
    sum += pair.p * pair.tau + n_.value.accumulator.underflow / r.ell;
  }
  if (has_sink) {
    r.sink_p = std::exp(sink - r.L);
    r.sink_tau = std::expm1(2 * u_ * std::abs(sink) + u_ * std::abs(sink - r.m) + (1 + tiles) * n_.weight.exp_error);
    sum += r.sink_p * r.sink_tau;
  }
  if (r.pairs.empty()) return;
  r.L_err = -std::log1p(-sum) + gamma(n + tiles, u_) + n_.output.log_error * (std::abs(std::log(r.ell)) + away) +
            u_ * (std::abs(r.m) + away + std::abs(r.L)) + n_.output.log_sum_exp_roundoff * std::abs(r.L);
}

}  // namespace attestone
