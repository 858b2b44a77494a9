// SPDX-License-Identifier: Apache-2.0
// Which query rows stand for all of a long problem.
#include <random>
#include <set>

#include "reference/certified/forward/truth.hpp"

namespace attestone {

std::vector<index> sampled_rows(index queries, index random, std::uint64_t seed) {
  if (queries == 0) return {};
  std::set<index> rows;
  const auto add_with_mirror = [&](index row) {
    if (row < 0 || row >= queries) return;
    rows.insert(row);
    rows.insert(queries - 1 - row);
  };
  add_with_mirror(0);
  for (index power = 1; power <= queries; power *= 2)
    for (const index row : {power - 1, power, power + 1}) add_with_mirror(row);
  // The remainder of a 64-bit word: uniform enough for a sample, and the same with every standard library.
  std::mt19937_64 generator(seed);
  for (index i = 0; i < random; ++i) rows.insert(static_cast<index>(generator() % static_cast<std::uint64_t>(queries)));
  return {rows.begin(), rows.end()};
}

}  // namespace attestone
