// SPDX-License-Identifier: Apache-2.0
// Adding up what pairs send.
#include "reference/attention/gradient.hpp"

#include <numeric>

namespace attestone {
namespace {

Extents extents_of(const std::optional<Tensor>& tensor) { return tensor ? tensor->view().extents() : Extents{}; }

void add_row(std::span<double> sum, double factor, std::span<const double> row) {
  for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += factor * row[c];
}

}  // namespace

Gradient::Gradient(const Inputs& inputs)
    : query(inputs.query.view().extents()),
      key(inputs.key.view().extents()),
      value(inputs.value.view().extents()),
      bias(extents_of(inputs.bias)),
      sink(extents_of(inputs.sink)) {}

void Gradient::add(const Operands& operands, const Pair& pair, double p, double ds) {
  const auto& [b, h, i, j] = pair;
  const index kv_head = operands.shape().kv_head(h);
  const double du = ds * operands.slope(pair);
  add_row(value(b, kv_head, j), operands.dropout(pair) * p, operands.dout(pair));
  add_row(key(b, kv_head, j), du, operands.query(pair));
  add_row(query(b, h, i), du, operands.key(pair));
  if (!bias.all().empty()) bias(b, h, i)[static_cast<std::size_t>(j)] += ds;
}

double weight_gradient(const Operands& operands, const Pair& pair) {
  const double dropout = operands.dropout(pair);
  if (dropout == 0) return 0;
  const auto v = operands.value(pair);
  return dropout * std::inner_product(v.begin(), v.end(), operands.dout(pair).begin(), 0.0);
}

}  // namespace attestone
