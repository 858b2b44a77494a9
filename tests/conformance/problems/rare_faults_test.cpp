// SPDX-License-Identifier: Apache-2.0
// Faults that some inputs have and most do not: ci meets them, whichever inputs these are.
#include <bit>
#include <gtest/gtest.h>

#include "conformance/problems/suite.hpp"
#include "conformance/run/run.hpp"
#include "tests/conformance/problems/doubled_rows.hpp"
#include "tests/effort.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

/// A number that Q of a call and a salt decide, evenly: by multiplication with a prime near 2^64 / golden ratio.
std::uint64_t hash_of(const Arguments& arguments, std::uint64_t salt) {
  constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;
  std::uint64_t hash = salt;
  const ConstView& query = arguments.query;
  const Extents& e = query.extents();
  for (index b = 0; b < e[0]; ++b)
    for (index h = 0; h < e[1]; ++h)
      for (index i = 0; i < query.rows(b); ++i)
        for (index c = 0; c < e[3]; ++c) {
          hash = (hash ^ std::bit_cast<std::uint64_t>(query.value(b, h, i, c))) * factor;
          hash ^= hash >> 32;
        }
  return hash * factor >> 32;
}

/// Wrong in calls of one Q in `rarity`, in all rows.
SharedKernel seldom_wrong(std::uint64_t rarity, std::uint64_t salt) {
  return with_doubled_rows([=](const Problem&, const Arguments& arguments) {
    return [is_struck = hash_of(arguments, salt) % rarity == 0](const Pair&) { return is_struck; };
  });
}

bool is_seen(std::uint64_t rarity, std::uint64_t salt, const std::vector<Problem>& problems) {
  const KernelRun run =
      examine(Candidate(seldom_wrong(rarity, salt)), {.problems = problems, .fail_fast = true, .explain = false});
  return !run.failures.empty();
}

/// Twenty faults a part, a hundred in all; in CI one.
class RareFaultsSlow : public testing::TestWithParam<index> {};

// slow: judges many problems
TEST_P(RareFaultsSlow, OfOneCallInAThousandAreSeenByCi) {
  const std::vector<Problem> ci = load_suite("ci");
  const index salts = effort(GetParam() == 0 ? 1 : 0, 20);
  index seen = 0;
  for (index salt = 0; salt < salts; ++salt)
    seen += is_seen(1000, static_cast<std::uint64_t>(20 * GetParam() + salt), ci);
  EXPECT_GE(100 * seen, 95 * salts) << seen << " of " << salts;
}

INSTANTIATE_TEST_SUITE_P(All, RareFaultsSlow, testing::Range<index>(0, 5), numbered("part"));

TEST(RareFaults, OfFewerCallsThanAreMadeAreNotSeen) {
  EXPECT_FALSE(is_seen(std::uint64_t{1} << 32, 0, parse_problems("shape=1x2x5x7x4 dtype=f32,f16,bf16")));
}

}  // namespace
}  // namespace attestone
