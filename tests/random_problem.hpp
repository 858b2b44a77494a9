// SPDX-License-Identifier: Apache-2.0
// Random small problems: every feature of the vocabulary now and then, alone and together.
#pragma once

#include <functional>
#include <random>
#include <span>
#include <string>
#include <string_view>

#include "reference/problem/problem.hpp"
#include "reference/registry.hpp"
#include "reference/scores/score_words.hpp"
#include "tests/masks/random_mask.hpp"

namespace attestone {

/// Terms of any kind that stand together; with `number()` where a term takes one, or with a usual one.
inline Score random_score(std::mt19937_64& random, const std::function<double()>& number = nullptr) {
  const auto below = [&](index n) { return static_cast<index>(random() % static_cast<std::uint64_t>(n)); };
  Score score;
  for (const ScoreWord& word : score_words()) {
    if (!score.takes(word.name) || below(3) > 0) continue;
    ScoreTerm term{std::string(word.name)};
    if (word.argument == ScoreWord::Argument::number)
      term.argument = number ? number() : word.name == "softcap" ? 2 : 0.1;
    if (!word.kinds.empty()) term.kind = word.kinds[static_cast<std::size_t>(below(std::ssize(word.kinds)))];
    score.add(term);
  }
  return score;
}

/// A layout that the shape has; the shape becomes square now and then, so that every layout is drawn.
inline std::string random_layout(std::mt19937_64& random, Shape& shape) {
  auto layout = Registry<Layout>::all().begin();
  std::advance(layout, static_cast<std::ptrdiff_t>(random() % Registry<Layout>::all().size()));
  if (!layout->second.takes(shape)) shape.queries = shape.keys, shape.value_dim = shape.dim;
  return layout->second.takes(shape) ? layout->first : "bhsd";
}

/// Formats, masks, scores, sinks, dropout, layouts, grouped heads, padding, empty extents.
inline Problem random_problem(std::mt19937_64& random, std::span<const std::string_view> formats) {
  const auto below = [&](index n) { return static_cast<index>(random() % static_cast<std::uint64_t>(n)); };
  constexpr index largest_window = 9;
  Problem problem;
  const index kv_heads = 1 + below(2);
  problem.shape = {1 + below(2), kv_heads * (1 + below(3)), kv_heads, below(20), below(40), 1 + below(20),
                   1 + below(20)};
  problem.layout = random_layout(random, problem.shape);
  problem.mask = below(3) == 0 ? Mask() : random_mask(random, 2, largest_window);
  problem.score = random_score(random);
  if (below(4) == 0) problem.dropout = 0.3;
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
  problem.seed = random();
  return problem;
}

/// A random problem with gradients, more dropout, and layouts in which every element has a place of its own, padding
/// included.
inline Problem random_problem_with_gradients(std::mt19937_64& random, std::span<const std::string_view> formats) {
  Problem problem = random_problem(random, formats);
  problem.backward = true;
  if (random() % 3 == 0) problem.dropout = 0.3;
  if (problem.layout == "broadcast" || problem.layout == "ragged") problem.layout = "bhsd";
  return problem;
}

}  // namespace attestone
