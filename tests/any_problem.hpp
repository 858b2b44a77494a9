// SPDX-License-Identifier: Apache-2.0
// Random small problems: every feature of the vocabulary now and then, alone and together.
#pragma once

#include <random>
#include <span>
#include <string_view>

#include "reference/problem.hpp"
#include "reference/registry.hpp"
#include "tests/masks/random_mask.hpp"

namespace attestone {

/// One of the formats, for inputs and output alike; masks, scores, layouts, grouped heads, padding, empty extents.
inline Problem random_problem(std::mt19937_64& random, std::span<const std::string_view> formats) {
  const auto below = [&](index n) { return static_cast<index>(random() % static_cast<std::uint64_t>(n)); };
  constexpr index largest_window = 9;
  Problem problem;
  const index kv_heads = 1 + below(2);
  problem.shape = {1 + below(2), kv_heads * (1 + below(3)), kv_heads, below(20), below(40), 1 + below(20),
                   1 + below(20)};
  problem.mask = below(3) == 0 ? Mask() : random_mask(random, 2, largest_window);
  if (below(3) == 0) problem.score.add({"softcap", 2});
  if (below(3) == 0) problem.score.add({"alibi", 0});
  if (below(3) == 0) problem.given_scale = 0.3;
  const bool padded = below(2) == 0;
  for (index batch = 0; padded && batch < problem.shape.batch; ++batch) {
    problem.lengths.push_back(below(problem.shape.keys + 1));
    problem.query_lengths.push_back(below(problem.shape.queries + 1));
  }
  const auto format = [&] {
    return dtype(formats[static_cast<std::size_t>(below(static_cast<index>(formats.size())))]);
  };
  problem.input = format();
  problem.output = below(2) == 0 ? problem.input : format();
  auto layout = Registry<Layout>::all().begin();
  std::advance(layout, below(static_cast<index>(Registry<Layout>::all().size())));
  problem.layout = layout->first;
  problem.seed = random();
  return problem;
}

}  // namespace attestone
