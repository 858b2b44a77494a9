// SPDX-License-Identifier: Apache-2.0
// Decoding the inputs once; score, slope and dropout of one pair.
#include "reference/attention/operands.hpp"

#include <cmath>
#include <limits>
#include <numeric>

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Rows decoded(const std::optional<Tensor>& tensor) { return tensor ? Rows(tensor->view()) : Rows(Extents{}); }

}  // namespace

Operands::Operands(const Problem& problem, const Inputs& inputs)
    : problem_(problem),
      bias_(problem, inputs),
      dropout_(problem),
      query_(inputs.query.view()),
      key_(inputs.key.view()),
      value_(inputs.value.view()),
      sink_(decoded(inputs.sink)),
      dout_(decoded(inputs.dout)) {}

bool Operands::visible(const Pair& pair) const { return problem_.visible(pair) && bias_.of(pair) != -infinity; }

double Operands::scaled_product(const Pair& pair) const {
  const auto q = query(pair), k = key(pair);
  return problem_.scale() * std::inner_product(q.begin(), q.end(), k.begin(), 0.0);
}

double Operands::score(const Pair& pair) const {
  double s = scaled_product(pair);
  if (const auto cap = problem_.score.softcap()) s = *cap * std::tanh(s / *cap);
  return s + bias_.of(pair);
}

double Operands::slope(const Pair& pair) const {
  const auto cap = problem_.score.softcap();
  const double bend = cap ? std::tanh(scaled_product(pair) / *cap) : 0;
  return problem_.scale() * (1 - bend * bend);
}

double Operands::sink(index head) const { return problem_.score.has_sink() ? sink_(0, head, 0)[0] : -infinity; }

double Operands::dropout(const Pair& pair) const {
  if (!dropout_) return 1;
  return dropout_.keeps(pair) ? dropout_.factor() : 0;
}

void Operands::add_value(const Pair& pair, double weight, std::span<double> o) const {
  const double factor = dropout(pair);
  if (factor == 0) return;
  const auto v = value(pair);
  for (std::size_t c = 0; c < o.size(); ++c) o[c] += factor * weight * v[c];
}

}  // namespace attestone
