// SPDX-License-Identifier: Apache-2.0
// The softmax of a panel column by column against double, on every instruction set.
#include "backends/cpu/simd/softmax.hpp"

#include <cmath>

#include "backends/cpu/parts/exp2.hpp"
#include "tests/backends/cpu/simd/panel_memory.hpp"
#include "tests/effort.hpp"

namespace attestone {
namespace {

constexpr index n = panel_queries;
constexpr float infinity = std::numeric_limits<float>::infinity();

/// 2^x as weigh_scores takes it, one key with one x a column.
void exp2_of(PanelMemory& x) {
  PanelMemory m(n), l(n);
  m.set_all(0), l.set_all(0);
  weigh_scores(x.data(), 1, m.data(), l.data());
}

/// The largest relative error of 2^x on this instruction set, over x of this sign and sizes from 2^-30 to `largest`.
double worst_exp2_error(float sign, float largest) {
  const auto step = static_cast<std::uint32_t>(effort(997, 7));  // primes: every pattern of low bits occurs
  const auto last = std::bit_cast<std::uint32_t>(largest);
  double worst = 0;
  for (auto bits = std::bit_cast<std::uint32_t>(0x1p-30f); bits <= last;) {
    PanelMemory x(n);
    float exact[panel_queries];
    for (index i = 0; i < n; ++i, bits += step) exact[i] = x[i] = sign * std::bit_cast<float>(std::min(bits, last));
    exp2_of(x);
    for (index i = 0; i < n; ++i) {
      const double right = std::exp2(double{exact[i]});
      worst = std::max(worst, std::abs(double{x[i]} - right) / right);
    }
  }
  return worst;
}

TEST(PanelSoftmax, Exp2ErrsAsDeclared) {
  on_every_target([](std::mt19937&) { EXPECT_LE(worst_exp2_error(-1, -exp2_smallest_exponent), exp2_relative_error); });
}

// Where scores refer to a fixed maximum, which they exceed.
TEST(PanelSoftmax, Exp2ErrsAboveOneAsBelow) {
  on_every_target([](std::mt19937&) { EXPECT_LE(worst_exp2_error(1, 127), exp2_relative_error); });
}

TEST(PanelSoftmax, Exp2IsExactAtTheEnds) {
  on_every_target([](std::mt19937&) {
    PanelMemory x(n);
    x.set_all(0);
    x[1] = -1, x[2] = -126, x[3] = -infinity, x[4] = -127, x[5] = -1e30f;
    x[6] = std::bit_cast<float>(0x7FC00001u), x[7] = std::bit_cast<float>(0xFFFFFFFFu);  // NaN of any payload
    x[8] = -126.25f;
    exp2_of(x);
    EXPECT_EQ(x[0], 1);
    EXPECT_EQ(x[1], 0.5f);
    EXPECT_EQ(x[2], 0x1p-126f);
    for (const index i : {3, 4, 5}) EXPECT_EQ(x[i], 0);
    EXPECT_TRUE(std::isnan(x[6]) && std::isnan(x[7]));
    EXPECT_LE(std::abs(double{x[8]} - std::exp2(-126.25)), 0x1p-126);
  });
}

TEST(PanelSoftmax, HidesWhatIsNotSeen) {
  on_every_target([](std::mt19937& random) {
    PanelMemory S(40 * n);
    S.set_all(1);
    S[5 * n + 2] = std::numeric_limits<float>::quiet_NaN();
    std::vector<QuerySet> seen(40);
    for (QuerySet& some : seen) some = random();
    seen[0] = ~QuerySet{0}, seen[1] = 0, seen[5] = 0;
    hide_scores(S.data(), 40, seen.data());
    for (index key = 0; key < 40; ++key)
      for (index query = 0; query < n; ++query)
        ASSERT_EQ(S[key * n + query], seen[static_cast<std::size_t>(key)] >> query & 1 ? 1 : -infinity);
  });
}

TEST(PanelSoftmax, RaisesMaximaAndShrinksSums) {
  on_every_target([](std::mt19937&) {
    PanelMemory largest(n), m(n), l(n), OT(3 * n), shrink(n);
    largest.set_all(2), m.set_all(0), l.set_all(8), OT.set_all(4);
    m[1] = -infinity, l[1] = 0, OT[1] = 0;    // has seen nothing yet
    largest[2] = m[2] = -infinity, l[2] = 0;  // sees nothing now either
    largest[3] = m[3] = infinity;             // what follows is NaN
    m[4] = 2;                                 // stays
    raise_maxima(largest.data(), m.data(), l.data(), shrink.data());
    shrink_columns(shrink.data(), 3, OT.data());
    EXPECT_EQ(m[0], 2);
    EXPECT_EQ(l[0], 2);
    EXPECT_EQ(OT[0], 1);
    EXPECT_EQ(OT[2 * n], 1);
    EXPECT_EQ(m[1], 2);
    EXPECT_EQ(l[1], 0);
    EXPECT_EQ(OT[1], 0);
    EXPECT_EQ(m[2], -infinity);
    EXPECT_EQ(l[2], 0);
    EXPECT_EQ(OT[2], 0);
    EXPECT_TRUE(std::isnan(l[3]));
    EXPECT_EQ(m[4], 2);
    EXPECT_EQ(l[4], 8);
    EXPECT_EQ(OT[4], 4);
  });
}

TEST(PanelSoftmax, WeighsAndSumsEveryKey) {
  on_every_target([](std::mt19937& random) {
    for (const index keys : {1, 2, 3, 4, 5, 7, 8, 37}) {
      PanelMemory S(keys * n), m(n), l(n);
      S.set_normal(random, 3), m.set_all(-infinity), l.set_all(0.25f);
      for (index key = 0; key < keys; ++key) S[key * n + 1] = -infinity;
      raise_to_columns(S.data(), keys, m.data());
      std::vector<double> exact(static_cast<std::size_t>(n), 0.25);
      for (index query = 0; query < n; ++query) {
        float top = -infinity;
        for (index key = 0; key < keys; ++key) top = std::max(top, S[key * n + query]);
        ASSERT_EQ(m[query], top);
        for (index key = 0; key < keys && top > -infinity; ++key)
          exact[static_cast<std::size_t>(query)] += std::exp2(double{S[key * n + query]} - double{top});
      }
      weigh_scores(S.data(), keys, m.data(), l.data());
      for (index query = 0; query < n; ++query)
        ASSERT_NEAR(double{l[query]} / exact[static_cast<std::size_t>(query)], 1, 40 * 0x1p-23) << keys << " " << query;
      EXPECT_EQ(l[1], 0.25f) << "what weighs nothing adds nothing";
    }
  });
}

TEST(PanelSoftmax, DividesBySumsButNotByZero) {
  on_every_target([](std::mt19937&) {
    PanelMemory OT(2 * n), l(n);
    OT.set_all(6), l.set_all(4);
    l[1] = 0;
    divide_by_sums(OT.data(), 2, l.data());
    EXPECT_EQ(OT[0], 1.5f);
    EXPECT_EQ(OT[n], 1.5f);
    EXPECT_EQ(OT[1], 0);
    EXPECT_EQ(OT[n + 1], 0);
  });
}

}  // namespace
}  // namespace attestone
