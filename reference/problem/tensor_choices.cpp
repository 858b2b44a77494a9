// SPDX-License-Identifier: Apache-2.0
// The names that a problem has for tensors and for what scales belong to.
#include "reference/problem/tensor_choices.hpp"

#include <algorithm>
#include <array>

namespace attestone {

std::string Format::text() const {
  return granularity.empty() ? std::string(dtype.name) : std::string(dtype.name) + ":" + granularity;
}

std::span<const Granularity> granularities() {
  static constexpr auto all = std::to_array<Granularity>({
      {"tensor", "one scale for the whole tensor"},
      {"head", "one scale for each head of each sequence"},
      {"token", "one scale for each row of each head"},
      {"channel", "one scale for each channel of each head, for all its rows"},
  });
  return all;
}

std::vector<TensorName> placed_tensors() {
  std::vector<TensorName> all;
  for (const CallTensor& row : call_tensors())
    if (row.layout == LayoutRule::by_layout) all.push_back(row.tensor);
  return all;
}

std::vector<TensorName> answers() {
  using enum TensorName;
  return {out, log_sum_exp, dquery, dkey, dvalue, dbias, dsink, max_logits};
}

std::vector<std::string> names_of(std::span<const TensorName> tensors) {
  std::vector<std::string> names;
  for (const TensorName tensor : tensors) names.emplace_back(text(tensor));
  return names;
}

std::optional<TensorName> find_tensor(std::span<const TensorName> tensors, std::string_view name) {
  const auto found = std::ranges::find(tensors, name, [](TensorName tensor) { return attestone::text(tensor); });
  return found == tensors.end() ? std::nullopt : std::optional(*found);
}

}  // namespace attestone
