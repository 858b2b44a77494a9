// SPDX-License-Identifier: Apache-2.0
// How far problems go.
#include "conformance/problems/reach.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace attestone::inline conformance {
namespace {

Reach each(const Reach& a, const Reach& b, const index& (*choose)(const index&, const index&)) {
  Reach both;
  std::ranges::transform(a, b, both.begin(), choose);
  return both;
}

index longest(const std::vector<index>& lengths, index extent) {
  return lengths.empty() ? extent : std::ranges::max(lengths);
}

}  // namespace

Reach reach_of(const Problem& problem) {
  const Shape& shape = problem.shape;
  return {shape.batch - 1, shape.heads - 1, longest(problem.query_lengths, shape.queries) - 1,
          longest(problem.lengths, shape.keys) - 1, shape.value_dim - 1};
}

void extend(ReachByFormat& all, const std::string& format, const Problem& problem) {
  const Reach own = reach_of(problem);
  const auto [known, fresh] = all.try_emplace(format, own);
  if (!fresh) known->second = each(known->second, own, std::max<index>);
}

Reach common_reach(const ReachByFormat& all, bool gradients) {
  std::optional<Reach> common;
  for (const auto& [format, reach] : all)
    if (format.ends_with("gradients") == gradients) common = common ? each(*common, reach, std::min<index>) : reach;
  return common.value_or(Reach{-1, -1, -1, -1, -1});
}

}  // namespace attestone::inline conformance
