// SPDX-License-Identifier: Apache-2.0
// Shrinking finds the least failing problem, and never an invalid one.
#include "conformance/verdict/shrink.hpp"

#include <gtest/gtest.h>

#include "conformance/problems/generate.hpp"

namespace attestone {
namespace {

TEST(Shrink, FindsTileAndOneKey) {
  const Problem first = parse_problem(
      "shape=2x8/2x40x53x16 mask=causal&window:30:0 score=softcap:30 dtype=bf16 fill=uniform layout=bshd seed=9");
  const Problem least = shrink(first, [](const Problem& p) { return p.shape.keys > 16 && p.shape.keys % 16 != 0; });
  EXPECT_EQ(least.text(), "shape=1x1x1x17x1 dtype=bf16");
}

TEST(Shrink, KeepsWhatMatters) {
  const Problem first = parse_problem("shape=3x4/2x9x9x8 lengths=9+4+7 mask=causal|window:2:2 score=softcap:30&alibi");
  const Problem least = shrink(first, [](const Problem& p) { return p.score.has("alibi") && !p.lengths.empty(); });
  EXPECT_EQ(least.text(), "shape=1x1x1x1x1 lengths=1 score=alibi");
}

TEST(Shrink, StopsAfterItsAttempts) {
  index asked = 0;
  shrink(
      parse_problem("shape=8x8x64x64x64"), [&](const Problem&) { return ++asked, false; }, 5);
  EXPECT_EQ(asked, 5);
}

TEST(Smaller, GivesValidProblemsThatDiffer) {
  for (index number = 0; number < 300; ++number) {
    const Problem problem = random_problem(3, number);
    for (const Problem& candidate : smaller(problem)) {
      EXPECT_NE(candidate, problem);
      EXPECT_EQ(parse_problem(candidate.text()), candidate) << candidate.text();
    }
  }
}

}  // namespace
}  // namespace attestone
