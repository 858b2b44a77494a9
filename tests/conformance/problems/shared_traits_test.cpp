// SPDX-License-Identifier: Apache-2.0
// What failing problems share is found where there is something, and nothing is made up where failures are drawn by
// lot.
#include "conformance/problems/shared_traits.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "conformance/problems/generate.hpp"
#include "reference/random/random.hpp"
#include "tests/effort.hpp"

namespace attestone {
namespace {

/// Problems as a suite has them, divided by what fails.
template <class Fails>
std::optional<SharedTraits> shared_where(Fails fails, index problems = 120, index seed = 12) {
  std::vector<Problem> failing, passing;
  for (index number = 0; number < problems; ++number) {
    const Problem problem = random_problem(static_cast<std::uint64_t>(seed), number);
    (fails(problem) ? failing : passing).push_back(problem);
  }
  return shared_traits(failing, passing);
}

bool says(const std::optional<SharedTraits>& shared, const std::string& words) {
  return shared && std::find(shared->says.begin(), shared->says.end(), words) != shared->says.end();
}

TEST(SharedTraits, FindOneTrait) {
  EXPECT_TRUE(says(shared_where([](const Problem& p) { return p.shape.dim % 2 != 0; }), "dim is odd"));
  EXPECT_TRUE(
      says(shared_where([](const Problem& p) { return p.shape.keys % 16 != 0; }), "keys are no multiple of 16"));
  EXPECT_TRUE(says(shared_where([](const Problem& p) { return p.shape.batch > 1; }), "batch > 1"));
  EXPECT_TRUE(says(shared_where([](const Problem& p) { return p.input == dtype("bf16") && p.output == p.input; }),
                   "dtype=bf16"));
}

TEST(SharedTraits, FindTwoTogetherWhereOneIsNotEnough) {
  const auto shared =
      shared_where([](const Problem& p) { return p.shape.dim % 2 != 0 && p.shape.heads != p.shape.kv_heads; }, 400);
  ASSERT_TRUE(shared);
  EXPECT_TRUE(std::any_of(shared->says.begin(), shared->says.end(), [](const std::string& words) {
    return words == "more query heads than kv heads and dim is odd";
  })) << text(*shared);
}

TEST(SharedTraits, AreSilentWithoutOneAndOnFewProblems) {
  EXPECT_FALSE(shared_where([](const Problem& p) { return p.shape.dim % 2 != 0; }, 6));
  EXPECT_FALSE(shared_where([](const Problem&) { return true; }));
  EXPECT_FALSE(shared_where([](const Problem&) { return false; }));
  EXPECT_FALSE(
      shared_where([](const Problem& p) { return (p.shape.dim + p.shape.keys * 3 + p.shape.queries) % 5 == 0; }));
}

/// Failures that fall on problems at random: of as many runs as are tried, no more than a few may find a reason.
// slow: judges many problems
TEST(SharedTraits, AreSeldomFoundInFailuresThatFellByLot) {
  const index runs = effort(600, 20000);
  index found = 0;
  for (index run = 0; run < runs; ++run) {
    std::vector<Problem> failing, passing;
    std::uint64_t state = static_cast<std::uint64_t>(run) * 2654435761u + 99;
    const index problems = 10 + run % 31;
    for (index number = 0; number < problems; ++number) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const Problem problem = random_problem(static_cast<std::uint64_t>(run), number);
      ((state >> 33) % static_cast<std::uint64_t>(2 + run % 4) == 0 ? failing : passing).push_back(problem);
    }
    const auto shared = shared_traits(failing, passing);
    if (!shared) continue;
    ++found;
    EXPECT_LT(shared->chance, 1e-3);
    fmt::print("run {}: {}\n", run, text(*shared));
  }
  EXPECT_LE(found, 3 + runs / 500) << "of " << runs;
}

TEST(SharedTraits, SayWhatTheyRestOn) {
  const SharedTraits shared{{"dim is odd", "keys > 64"}, 14, 120, 1e-9};
  EXPECT_EQ(text(shared),
            "all 14 failing problems and none of the 120 passing ones: dim is odd (the same here: keys > 64)");
}

}  // namespace
}  // namespace attestone
