// SPDX-License-Identifier: Apache-2.0
// The real lengths of sequences within their extents.
#include <algorithm>

#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Lengths = std::vector<index> Problem::*;

/// Draws lengths: where there are several, at least one sequence has the whole extent, and another one `least`.
void draw_lengths(Problem& problem, Lengths lengths, index extent, index least, Draws& draws) {
  std::vector<index>& all = problem.*lengths;
  for (index b = 0; b < problem.shape.batch; ++b) all.push_back(draws.integer(std::min(least, extent), extent));
  all[static_cast<std::size_t>(draws.integer(0, problem.shape.batch - 1))] = std::min(least, extent);
}

Regime some(const char* name, bool of_keys, bool of_queries, index least) {
  const auto enter = [=](Problem& problem, Draws& draws) {
    problem.lengths.clear(), problem.query_lengths.clear();
    if (of_keys) draw_lengths(problem, &Problem::lengths, problem.shape.keys, least, draws);
    if (of_queries) draw_lengths(problem, &Problem::query_lengths, problem.shape.queries, least, draws);
  };
  const auto is = [=](const Problem& problem) {
    const bool has_empty = std::ranges::count(problem.lengths, 0) > 0;
    return problem.lengths.empty() != of_keys && problem.query_lengths.empty() != of_queries &&
           (least == 0 || !has_empty);
  };
  return {name, enter, is};
}

std::vector<Regime> regimes() {
  return {some("whole", false, false, 1), some("keys", true, false, 1), some("queries", false, true, 1),
          some("both", true, true, 1), some("empty", true, true, 0)};
}

const Registration<Axis> registered{{
    .name = "lengths",
    .aim = "padding that is read, written or counted, and lengths of one axis or sequence taken for another",
    .turn = 8,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone::inline conformance
