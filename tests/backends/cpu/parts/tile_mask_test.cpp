// SPDX-License-Identifier: Apache-2.0
// What the diagonals of a mask say of a tile at once is what its pairs say one by one.
#include "backends/cpu/parts/tile_mask.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

#include "reference/problem/problem.hpp"

namespace attestone {
namespace {

TEST(TileMask, SeesWhatItsPairsSee) {
  std::mt19937 random(6);
  const auto any = [&](index least, index most) { return std::uniform_int_distribution<index>(least, most)(random); };
  for (const char* mask : {"full", "causal", "causal:top_left", "window:3:2", "window:5:-1", "prefix:7", "~causal",
                           "causal&~window:4:0", "prefix:9|window:1:1", "~full", "~prefix:5&~window:2:2"})
    for (int round = 0; round < 200; ++round) {
      const Sequence sequence{any(1, 40), any(1, 90)};
      const TileMask tile = *TileMask::of(parse_problem(fmt::format("shape=1x1x1x1x1 mask={}", mask)).mask, sequence);
      const index first_query = any(0, sequence.queries - 1), first_key = any(0, sequence.keys - 1);
      const Interval queries{first_query, std::min(first_query + any(0, 31), sequence.queries - 1)};
      const Interval keys{first_key, any(first_key, sequence.keys - 1)};
      std::vector<QuerySet> seen(static_cast<std::size_t>(keys.count()), 0xDEADBEEF);
      tile.see(queries, keys, seen.data());
      Interval outermost{keys.last + 1, keys.first - 1};
      for (index key = keys.first; key <= keys.last; ++key)
        for (index query = queries.first; query <= queries.last; ++query) {
          const bool visible = tile.visible(query, key);
          const QuerySet some = seen[static_cast<std::size_t>(key - keys.first)];
          ASSERT_EQ(some >> (query - queries.first) & 1, QuerySet{visible}) << mask;
          if (!visible) continue;
          outermost = {std::min(outermost.first, key), std::max(outermost.last, key)};
        }
      for (const QuerySet some : seen) ASSERT_EQ(some & ~first_queries(queries.count()), 0u) << mask;
      const Interval found = tile.outermost(queries, keys);
      ASSERT_TRUE(found == outermost || (found.count() == 0 && outermost.count() == 0)) << mask;
    }
}

}  // namespace
}  // namespace attestone
