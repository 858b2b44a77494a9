// SPDX-License-Identifier: Apache-2.0
// Random small problems with everything that rule 1 knows: biases of every kind, sinks, dropout; and gradients.
#pragma once

#include "tests/random_problem.hpp"

namespace attestone {

/// A random problem that may also have a bias tensor, relative positions, a sink, dropout; with gradients.
inline Problem random_full_problem(std::mt19937_64& random, std::span<const std::string_view> formats) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  Problem problem = random_problem(random, formats);
  problem.backward = true;
  // Shared places take no gradients of their own; and tests look at padding, which ragged batches have not.
  if (problem.layout == "broadcast" || problem.layout == "ragged") problem.layout = "bhsd";
  if (!problem.score.has_bias()) switch (below(4)) {
      case 0:
        problem.score.add({"relative_position", 0.1});
        break;
      case 1:
      case 2:
        problem.score.add({"bias", 0, std::string(score_word("bias")->kinds[below(5)])});
        break;
      default:
        break;
    }
  if (!problem.score.has_sink() && below(3) == 0) problem.score.add({"sink", 0, "head"});
  if (below(3) == 0) problem.dropout = 0.3;
  return problem;
}

}  // namespace attestone
