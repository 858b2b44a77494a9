// SPDX-License-Identifier: Apache-2.0
// The kernels' own Philox and dropout, beside published words and the rules' definition.
#include "backends/cpu/parts/dropped_pairs.hpp"

#include <gtest/gtest.h>
#include <random>

#include "backends/cpu/parts/philox.hpp"
#include "reference/call/dropout.hpp"
#include "tests/effort.hpp"

namespace attestone {
namespace {

/// The known answers of Random123 (kat_vectors, philox4x32 10).
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_EQ(first_philox_word(0, {0, 0, 0, 0}), 0x6627e8d5u);
  EXPECT_EQ(first_philox_word(~std::uint64_t{0}, {~0u, ~0u, ~0u, ~0u}), 0x408f276du);
  EXPECT_EQ(first_philox_word(0x299f31d0a4093822, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}), 0xd16cfe09u);
}

TEST(DroppedPairs, AreThoseOfTheRules) {
  std::mt19937_64 random(1);
  for (index n = 0; n < effort(200, 10000); ++n) {
    Problem problem;
    problem.seed = random();
    problem.dropout = static_cast<double>(random() % 1000) / 1000;
    const auto below = [&](std::uint64_t most) { return static_cast<index>(random() % most); };
    const Pair first{below(5), below(100), below(10000), below(100000)};
    const Dropout rule(problem);
    std::array<float, 33> weights;
    weights.fill(2);
    const DroppedPairs dropped(problem);
    dropped.clear(first, weights.data(), std::ssize(weights));
    EXPECT_EQ(dropped.factor(), rule.factor());
    for (index j = 0; j < std::ssize(weights); ++j)
      EXPECT_EQ(weights[static_cast<std::size_t>(j)],
                rule.keeps({first.batch, first.head, first.query, first.key + j}) ? 2 : 0)
          << "seed " << problem.seed << " rate " << problem.dropout;
  }
}

}  // namespace
}  // namespace attestone
