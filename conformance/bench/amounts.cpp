// SPDX-License-Identifier: Apache-2.0
// Counting pairs by intervals where the mask is a band, and one by one elsewhere.
#include "conformance/bench/amounts.hpp"

#include <algorithm>
#include <optional>

#include "reference/call/tensors.hpp"

namespace attestone::inline conformance {
namespace {

/// How far keys may lie behind and before a query's position; -1 is unbounded.
struct Band {
  index left, right;
};

/// Nothing where the mask is none of those that are bands around the position of the query.
std::optional<Band> band_of(const Mask& mask) {
  if (mask.kind() != Mask::Kind::rule) return std::nullopt;
  if (mask.is_full()) return Band{-1, -1};
  if (mask.rule() == "causal") return Band{-1, 0};
  if (mask.rule() == "window") return Band{mask.arguments()[0], mask.arguments()[1]};
  return std::nullopt;
}

index pairs_in_band(const Band& band, const Sequence& sequence) {
  index pairs = 0;
  for (index query = 0; query < sequence.queries; ++query) {
    const index position = sequence.position(query);
    const index first = band.left < 0 ? 0 : std::max<index>(position - band.left, 0);
    const index end = band.right < 0 ? sequence.keys : std::min(position + band.right + 1, sequence.keys);
    pairs += std::max<index>(end - first, 0);
  }
  return pairs;
}

index pairs_one_by_one(const Problem& problem, index batch, index head) {
  index pairs = 0;
  for (index query = 0; query < problem.shape.queries; ++query)
    for (index key = 0; key < problem.shape.keys; ++key) pairs += problem.visible({batch, head, query, key});
  return pairs;
}

double bytes_of(const Problem& problem, TensorName name) {
  double bytes = static_cast<double>(format_of(problem, name).storage_bits()) / 8;
  for (const index extent : extents_of(problem, name)) bytes *= static_cast<double>(extent);
  return bytes;
}

}  // namespace

double useful_pairs(const Problem& problem) {
  const Shape& s = problem.shape;
  const std::optional<Band> band = band_of(problem.mask);
  double pairs = 0;
  for (index batch = 0; batch < s.batch; ++batch) {
    if (band) {
      pairs += static_cast<double>(s.heads * pairs_in_band(*band, problem.sequence(batch)));
    } else if (!problem.mask.differs_by_head()) {
      pairs += static_cast<double>(s.heads * pairs_one_by_one(problem, batch, 0));
    } else {
      for (index head = 0; head < s.heads; ++head) pairs += static_cast<double>(pairs_one_by_one(problem, batch, head));
    }
  }
  return pairs;
}

double useful_flops(const Problem& problem) {
  const auto dim = static_cast<double>(problem.shape.dim), value_dim = static_cast<double>(problem.shape.value_dim);
  // Forward QK^T and PV; backward QK^T, dO V^T, P^T dO, dS K and dS^T Q.
  const double channels = problem.backward ? 3 * dim + 2 * value_dim : dim + value_dim;
  return 2 * useful_pairs(problem) * channels;
}

double key_value_bytes(const Problem& problem) {
  return bytes_of(problem, TensorName::key) + (problem.value_is_key ? 0 : bytes_of(problem, TensorName::value));
}

double tensor_bytes(const Problem& problem) {
  double bytes = 0;
  for (const TensorName name :
       {TensorName::query, TensorName::key, TensorName::value, TensorName::out, TensorName::log_sum_exp})
    bytes += bytes_of(problem, name);
  if (problem.backward)
    for (const TensorName name : {TensorName::dout, TensorName::dquery, TensorName::dkey, TensorName::dvalue})
      bytes += bytes_of(problem, name);
  return bytes;
}

}  // namespace attestone::inline conformance
