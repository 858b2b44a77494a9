// SPDX-License-Identifier: Apache-2.0
// Decoding the inputs once, and the score of one pair.
#include "reference/attention/operands.hpp"

#include <cmath>
#include <limits>
#include <numeric>

namespace attestone {
namespace {

std::vector<double> decoded(const ConstView& view) {
  const auto& [batch, heads, rows, channels] = view.extents();
  std::vector<double> all(static_cast<std::size_t>(element_count(view.extents())));
  const auto width = static_cast<std::size_t>(channels);
  for (std::size_t row = 0; row * width < all.size(); ++row) {
    const auto r = static_cast<index>(row);
    view.read_row(r / rows / heads, r / rows % heads, r % rows, std::span(all).subspan(row * width, width));
  }
  return all;
}

std::span<const double> row_of(const std::vector<double>& all, index row, index width) {
  return std::span(all).subspan(static_cast<std::size_t>(row * width), static_cast<std::size_t>(width));
}

}  // namespace

Operands::Operands(const Problem& problem, const Inputs& inputs)
    : problem_(problem),
      bias_(problem, inputs),
      query_(decoded(inputs.query.view())),
      key_(decoded(inputs.key.view())),
      value_(decoded(inputs.value.view())) {}

bool Operands::visible(const Pair& pair) const {
  return problem_.visible(pair) && bias_.of(pair) != -std::numeric_limits<double>::infinity();
}

double Operands::score(const Pair& pair) const {
  const auto& [batch, heads, kv_heads, queries, keys, dim, value_dim] = shape();
  const auto q = row_of(query_, (pair.batch * heads + pair.head) * queries + pair.query, dim);
  const auto k = row_of(key_, (pair.batch * kv_heads + shape().kv_head(pair.head)) * keys + pair.key, dim);
  double s = problem_.scale() * std::inner_product(q.begin(), q.end(), k.begin(), 0.0);
  if (const auto cap = problem_.score.softcap()) s = *cap * std::tanh(s / *cap);
  return s + bias_.of(pair);
}

std::span<const double> Operands::value(const Pair& pair) const {
  const index kv_row = (pair.batch * shape().kv_heads + shape().kv_head(pair.head)) * shape().keys + pair.key;
  return row_of(value_, kv_row, shape().value_dim);
}

}  // namespace attestone
