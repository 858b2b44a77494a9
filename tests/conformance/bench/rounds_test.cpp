// SPDX-License-Identifier: Apache-2.0
// Rounds alternate, count only where the limit held still, and come to an end.
#include "conformance/bench/rounds.hpp"

#include <gtest/gtest.h>

namespace attestone {
namespace {

/// A cell of work 100, two contenders, and a limit that follows a script; everything that happens is noted.
class BenchRounds : public testing::Test {
 protected:
  void hold(std::vector<double> limits) {
    std::size_t next = 0;
    const auto limit = [&, limits = std::move(limits)] {
      happened += '|';
      return limits[std::min(next++, limits.size() - 1)];
    };
    const auto taking = [this](char name, double seconds) {
      return [this, name, seconds] {
        happened += name;
        return seconds;
      };
    };
    hold_rounds(options, limit, {{&a, taking('a', 2)}, {&b, taking('b', 5)}}, cell);
  }

  RoundOptions options{.rounds = 3, .most_tries = 5, .largest_move = 0.05};
  BenchCell cell{.problem = parse_problem("shape=1x1x4x4x4"), .limit = "f32", .amount = 100};
  Entry a{"a", "", ""}, b{"b", "", ""};
  std::string happened;
};

TEST_F(BenchRounds, AlternateBetweenTwoMeasurementsOfTheLimit) {
  hold({200});
  EXPECT_EQ(happened, "|ab||ab||ab|");
  EXPECT_EQ(cell.rates, (std::vector<double>{200, 200, 200}));
  EXPECT_EQ(a.seconds, (std::vector<double>{2, 2, 2}));
  EXPECT_EQ(a.shares, (std::vector<double>{0.25, 0.25, 0.25})) << "100 / 2 / 200";
  EXPECT_EQ(b.shares.front(), 0.1);
  EXPECT_EQ(cell.unsteady_rounds, 0);
}

TEST_F(BenchRounds, CountWhereTheLimitMovedByNoMoreThanItMay) {
  // 195 to 205 is 5 % of the mean; 195 to 205.2 is more.
  hold({195, 205, 195, 205.2, 200, 200, 200, 200});
  EXPECT_EQ(cell.rates, (std::vector<double>{200, 200, 200}));
  EXPECT_EQ(cell.unsteady_rounds, 1);
  EXPECT_EQ(happened, "|ab||ab||ab||ab|");
}

TEST_F(BenchRounds, EndWhereTheLimitNeverHoldsStill) {
  hold({100, 200, 100, 200, 100, 200, 100, 200, 100, 200, 100, 200});
  EXPECT_EQ(cell.unsteady_rounds, options.most_tries);
  EXPECT_TRUE(cell.rates.empty());
  EXPECT_TRUE(a.seconds.empty());
}

TEST_F(BenchRounds, GoOnWithoutWhoMisbehaves) {
  int calls = 0;
  const auto dies_later = [&]() -> double {
    if (++calls == 2) throw Misbehaved("died");
    return 1;
  };
  hold_rounds(
      options, [] { return 200.0; }, {{&a, dies_later}, {&b, [] { return 4.0; }}}, cell);
  EXPECT_EQ(a.misbehaved, "died");
  EXPECT_TRUE(a.seconds.empty());
  EXPECT_EQ(b.seconds.size(), 3u);
  EXPECT_EQ(b.shares.back(), 0.125) << "its own time, not that of who left";
}

}  // namespace
}  // namespace attestone
