// SPDX-License-Identifier: Apache-2.0
// How often a maximum may rise, against trying everything.
#include "reference/error_bound/forward/raises.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

#include "tests/effort.hpp"

namespace attestone {
namespace {

using Sequence = std::vector<Enclosed>;

/// The most raises that are possible behind member `at`, when `seen` have been seen, itself last.
index raises(const Sequence& sequence, const std::vector<std::size_t>& seen, const std::vector<std::size_t>& behind) {
  double running = -1e300;
  for (const std::size_t each : seen) running = std::max(running, sequence[each].lowest);
  index count = 0;
  for (const std::size_t each : behind) {
    count += sequence[each].highest > running;
    running = std::max(running, sequence[each].lowest);
  }
  return count;
}

std::vector<std::size_t> range(std::size_t from, std::size_t to) {
  std::vector<std::size_t> all(to - from);
  std::iota(all.begin(), all.end(), from);
  return all;
}

/// Small whole numbers, so that ties and overlaps abound; exact ones if `spread` is 0.
Sequence drawn(std::mt19937_64& random, std::size_t n, int spread) {
  std::uniform_int_distribution<int> number(0, 6), width(0, spread);
  Sequence sequence;
  for (std::size_t t = 0; t < n; ++t) {
    const double lowest = number(random);
    sequence.push_back({lowest, lowest + width(random)});
  }
  return sequence;
}

template <class Check>
void for_many(Check check) {
  std::mt19937_64 random(1);
  for (index repeat = 0; repeat < effort(300, 3000); ++repeat)
    for (const int spread : {0, 3}) check(drawn(random, 1 + random() % 8, spread), spread == 0);
}

TEST(Raises, OfAllAreCounted) {
  for_many([](const Sequence& s, bool) {
    const auto counted = raises_of_all(s);
    for (std::size_t t = 0; t < s.size(); ++t)
      EXPECT_EQ(counted[t], raises(s, range(0, t + 1), range(t + 1, s.size())));
  });
}

TEST(Raises, OfRunsAreTheWorstOfAllRuns) {
  for_many([](const Sequence& s, bool exact) {
    const auto counted = raises_of_runs(s);
    for (std::size_t t = 0; t < s.size(); ++t) {
      index most = 0;
      for (std::size_t from = 0; from <= t; ++from)
        most = std::max(most, raises(s, range(from, t + 1), range(t + 1, s.size())));
      EXPECT_GE(counted[t], most);
      if (exact) {
        EXPECT_EQ(counted[t], most);
      }
    }
  });
}

TEST(Raises, OfPicksAreTheWorstOfAllPicks) {
  for_many([](const Sequence& s, bool) {
    const auto counted = raises_of_picks(s);
    for (std::size_t t = 0; t < s.size(); ++t) {
      index most = 0;
      const std::size_t behind = s.size() - t - 1;
      for (std::size_t picks = 0; picks < std::size_t{1} << behind; ++picks) {
        std::vector<std::size_t> picked;
        for (std::size_t p = 0; p < behind; ++p)
          if (picks >> p & 1) picked.push_back(t + 1 + p);
        most = std::max(most, raises(s, {t}, picked));
      }
      EXPECT_EQ(counted[t], most);
    }
  });
}

TEST(Raises, InAnyOrderAreThoseThatMayBeLarger) {
  for_many([](const Sequence& s, bool exact) {
    const auto counted = possibly_larger(s);
    if (s.size() > 6) return;
    for (std::size_t t = 0; t < s.size(); ++t) {
      std::vector<std::size_t> others;
      for (std::size_t each = 0; each < s.size(); ++each)
        if (each != t) others.push_back(each);
      index most = 0;
      do most = std::max(most, raises(s, {t}, others));
      while (std::next_permutation(others.begin(), others.end()));
      EXPECT_GE(counted[t], most);
      if (!exact) continue;
      EXPECT_EQ(counted[t], std::ranges::count_if(s, [&](const Enclosed& e) { return e.highest > s[t].lowest; }));
    }
  });
}

}  // namespace
}  // namespace attestone
