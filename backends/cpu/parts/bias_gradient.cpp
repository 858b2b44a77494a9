// SPDX-License-Identifier: Apache-2.0
// Summing and storing the gradient of the bias tensor.
#include "backends/cpu/parts/bias_gradient.hpp"

#include <algorithm>

namespace attestone::inline backends {
namespace {

/// The extents of the bias tensor by its kind, as inputs have them; 0 without one.
Extents bias_extents(const Problem& problem) {
  const Shape& s = problem.shape;
  const auto kind = problem.score.bias_tensor();
  if (!kind) return {0, 0, 0, 0};
  const bool by_batch = *kind == "full" || *kind == "batch" || *kind == "key";
  const bool by_head = *kind == "full" || *kind == "head", by_query = *kind != "key";
  return {by_batch ? s.batch : 1, by_head ? s.heads : 1, by_query ? s.queries : 1, s.keys};
}

}  // namespace

BiasGradient::BiasGradient(Device& device, const Problem& problem)
    : extents_(bias_extents(problem)), sums_(device, element_count(extents_), "sums of dbias") {
  std::ranges::fill(sums_.span(), 0.0f);
}

index BiasGradient::bytes(const Problem& problem) {
  return element_count(bias_extents(problem)) * static_cast<index>(sizeof(float));
}

void BiasGradient::add(const Pair& first, index count, const float* gradients) {
  const auto place = [](index at, index extent) { return extent == 1 ? 0 : at; };
  const auto& [batches, heads, queries, keys] = extents_;
  if (keys == 0) return;
  const index row = (place(first.batch, batches) * heads + place(first.head, heads)) * queries;
  float* sums = sums_.data() + (row + place(first.query, queries)) * keys + first.key;
  for (index j = 0; j < count; ++j) sums[j] += gradients[j];
}

void BiasGradient::store(const std::optional<View>& dbias) {
  if (!dbias) return;
  const auto& [batches, heads, queries, keys] = extents_;
  index next = 0;
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index i = 0; i < queries; ++i)
        for (index j = 0; j < keys; ++j) dbias->set(b, h, i, j, sums_[next++]);
}

std::vector<std::vector<HeadGroup>> BiasGradient::shares(const Problem& problem) {
  const auto& [batches, heads, kv_heads, queries, keys, dim, value_dim] = problem.shape;
  const Extents extents = bias_extents(problem);
  // A tensor that lacks an axis sums over it: then that axis stays in one hand.
  const bool biased = problem.score.bias_tensor().has_value();
  const bool by_batch = !biased || extents[0] == batches, by_head = !biased || extents[1] == heads;
  std::vector<std::vector<HeadGroup>> shares(
      static_cast<std::size_t>((by_batch ? batches : 1) * (by_head ? kv_heads : 1)));
  for (index batch = 0; batch < batches; ++batch)
    for (index kv_head = 0; kv_head < kv_heads; ++kv_head) {
      const index share = (by_batch ? batch : 0) * (by_head ? kv_heads : 1) + (by_head ? kv_head : 0);
      shares[static_cast<std::size_t>(share)].push_back({batch, kv_head});
    }
  return shares;
}

}  // namespace attestone::inline backends
