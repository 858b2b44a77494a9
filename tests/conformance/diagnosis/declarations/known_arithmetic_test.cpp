// SPDX-License-Identifier: Apache-2.0
// What is loosest of a family of arithmetics rules the others out: it must allow whatever they allow.
#include "conformance/diagnosis/declarations/known_arithmetic.hpp"

#include <gtest/gtest.h>

#include "reference/numerics/declaration.hpp"
#include "reference/numerics/declared_class.hpp"

namespace attestone {
namespace {

void expect_allowed_by_the_loosest(const std::vector<ArithmeticFamily>& families, const Numerics& own) {
  for (const ArithmeticFamily& family : families)
    for (const KnownArithmetic& level : family) {
      const Numerics one = with_declared(own, level.declares, "a level");
      const Numerics all = with_declared(own, loosest(family), "the loosest");
      EXPECT_TRUE(only_loosens(one, all) || declaration(one, all).empty())
          << level.declares << " and " << loosest(family);
    }
}

TEST(KnownArithmetics, HaveALoosestThatAllowsTheOthers) {
  const Problem problem = parse_problem("shape=1x1x2x3x4 score=softcap:5 dtype=f32");
  const Numerics own = default_numerics(problem.input, problem.output);
  for (const bool gradients : {false, true}) {
    EXPECT_FALSE(known_arithmetics(problem, gradients).empty());
    expect_allowed_by_the_loosest(known_arithmetics(problem, gradients), own);
    expect_allowed_by_the_loosest(known_merges(gradients), own);
  }
}

TEST(KnownArithmetics, HaveALoosestOfEveryField) {
  EXPECT_EQ(loosest({{"", "a=0x1p-11 b=yes"}, {"", "a=0x1p-8"}, {"", "a=0x1p-10 c=3"}}), "a=0x1p-8 b=yes c=3");
}

}  // namespace
}  // namespace attestone
