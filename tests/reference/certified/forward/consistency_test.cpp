// SPDX-License-Identifier: Apache-2.0
// The truth does not depend on how it is computed: threads, chosen rows, visibility as bits, quick decisions.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <omp.h>

#include "reference/call/visible_pairs.hpp"
#include "reference/certified/forward/truth.hpp"
#include "reference/certified/forward/visibility.hpp"
#include "reference/certified/numbers/enclosure.hpp"
#include "reference/certified/numbers/quick_decision.hpp"
#include "reference/certified/numbers/scratch.hpp"
#include "tests/effort.hpp"
#include "tests/reference/certified/forward/adversarial_fills.hpp"

namespace attestone {
namespace {

bool same(const Certified& a, const Certified& b) {
  return a.value == b.value && a.bound == b.bound && a.rounded == b.rounded && a.decided == b.decided;
}

TEST(Consistency, ThreadsChangeNoBit) {
  const Problem problem = parse_problem("shape=2x4/2x70x150x24 mask=causal score=softcap:20&alibi");
  Inputs inputs(problem);
  Random random(1);
  adversarial_fills().front().fill(problem, inputs, random);
  const int threads_before = omp_get_max_threads();
  omp_set_num_threads(1);
  const Truth one = certify_forward(problem, inputs);
  omp_set_num_threads(3);
  const Truth three = certify_forward(problem, inputs);
  omp_set_num_threads(threads_before);
  for (index b = 0; b < 2; ++b)
    for (index h = 0; h < 4; ++h)
      for (index q = 0; q < 70; ++q) {
        EXPECT_TRUE(same(one.log_sum_exp(b, h, q), three.log_sum_exp(b, h, q)));
        for (index c = 0; c < 24; ++c) EXPECT_TRUE(same(one.out(b, h, q, c), three.out(b, h, q, c)));
      }
}

TEST(Consistency, ChosenRowsAreTheRowsOfTheWhole) {
  const Problem problem = parse_problem("shape=1x2x300x300x16 mask=causal");
  Inputs inputs(problem);
  Random random(2);
  adversarial_fills().front().fill(problem, inputs, random);
  const Truth whole = certify_forward(problem, inputs);
  const Truth some = certify_forward(problem, inputs, {.queries = sampled_rows(300, 5, 9), .escalate = true});
  EXPECT_LT(some.queries().size(), 60u);
  for (index row = 0; row < static_cast<index>(some.queries().size()); ++row)
    for (index c = 0; c < 16; ++c) {
      const Certified &a = some.out(0, 1, row, c),
                      &b = whole.out(0, 1, some.queries()[static_cast<std::size_t>(row)], c);
      EXPECT_EQ(a.rounded, b.rounded);
      EXPECT_LE(std::fabs(a.value - b.value), a.bound + b.bound);
    }
}

TEST(Consistency, SampledRows) {
  EXPECT_TRUE(sampled_rows(0, 3, 1).empty());
  EXPECT_EQ(sampled_rows(1, 3, 1), std::vector<index>{0});
  const std::vector<index> rows = sampled_rows(100, 0, 1);
  for (const index row : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 99, 98, 36, 35, 34})
    EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), row)) << row;
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_EQ(sampled_rows(100'000, 10, 4), sampled_rows(100'000, 10, 4));
  EXPECT_NE(sampled_rows(100'000, 10, 4), sampled_rows(100'000, 10, 5));
}

TEST(Consistency, VisibilityAgreesWithTheProblem) {
  Random random(8);
  for (const char* mask :
       {"full", "causal", "~causal:top_left", "causal&window:5:2", "window:1:1|~(causal|window:70:3)"})
    for (const char* rest : {"", " lengths=64+100", " lengths=130+0 query_lengths=9+3", " score=bias:full",
                             " score=bias:head", " score=bias:key lengths=30+130"}) {
      const Problem problem = parse_problem(std::string("shape=2x4/2x9x130x4 mask=") + mask + rest);
      Inputs inputs(problem);
      adversarial_fills().front().fill(problem, inputs, random);
      const VisiblePairs visible(problem, inputs);
      const std::vector<index> queries{0, 3, 4, 8};
      for (index b = 0; b < 2; ++b) {
        const Visibility visibility(problem, inputs, b, queries);
        for (index kv_head = 0; kv_head < 2; ++kv_head)
          for (index key = 0; key < 130; ++key) {
            bool seen = false;
            for (const index head : {2 * kv_head, 2 * kv_head + 1})
              for (index row = 0; row < 4; ++row) {
                const bool expected = visible({b, head, queries[static_cast<std::size_t>(row)], key});
                EXPECT_EQ(bit(visibility.row(head, row), key), expected) << problem.text() << " key " << key;
                seen = seen || expected;
              }
            EXPECT_EQ(bit(visibility.seen(kv_head), key), seen) << problem.text() << " key " << key;
          }
      }
    }
}

/// Quick decisions never contradict the interval test, and are not much more cautious.
TEST(Consistency, QuickDecisionsAreDecisions) {
  Random random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  index cautious = 0, decided = 0;
  for (const char* name : {"f32", "bf16", "f16", "e4m3", "e5m2"}) {
    const DType& format = dtype(name);
    const index count = effort(20'000, 1'000'000);
    const auto value = uninitialised_doubles(count), bound = uninitialised_doubles(count),
               found = uninitialised_doubles(count);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const double near = format.round(std::ldexp(uniform(random), static_cast<int>(random() % 40) - 30));
      value[i] = near * (1 + (i % 3 ? 0.5 : 0) * format.unit_roundoff() * 2 + 1e-12 * uniform(random));
      bound[i] = std::fabs(value[i]) * std::ldexp(1.0, -static_cast<int>(random() % 55));
    }
    decide_quickly(format, value.get(), bound.get(), count, found.get());
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const std::optional<double> expected = decide({value[i], 0, bound[i]}, format);
      const bool quick = !std::isnan(found[i]);
      EXPECT_TRUE(!quick || expected == found[i]) << name << " " << value[i] << " " << bound[i];
      const bool normal =
          std::fabs(value[i]) >= 4 * format.smallest_normal() && std::fabs(value[i]) <= format.largest() / 4;
      decided += normal && expected;
      cautious += normal && expected && !quick;
    }
  }
  EXPECT_LT(cautious * 100, decided);
}

/// A midpoint, and next to nothing around it: value + bound and value - bound are the value itself, as doubles.
TEST(Consistency, QuickDecisionsLeaveMidpointsOpen) {
  const auto value = uninitialised_doubles(8), bound = uninitialised_doubles(8), found = uninitialised_doubles(8);
  for (std::size_t i = 0; i < 8; ++i) value[i] = 1 + 0x1p-24, bound[i] = 0x1p-60;
  decide_quickly(dtype("f32"), value.get(), bound.get(), 8, found.get());
  EXPECT_TRUE(std::isnan(found[0])) << found[0];
}

/// Every kind of boundary: between numbers, at a binade edge, into the subnormals, at overflow.
TEST(Consistency, DecidesByBothEndsOfTheEnclosure) {
  const DType& f32 = dtype("f32");
  EXPECT_EQ(decide({1, 0, 0x1p-26}, f32), 1);
  EXPECT_EQ(decide({1, 0, 0x1.8p-25}, f32), std::nullopt) << "below 1 numbers are twice as close";
  EXPECT_EQ(decide({1 + 0x1p-24, 0, 0}, f32), 1) << "a tie, known exactly, goes to even";
  EXPECT_EQ(decide({1 + 0x1p-24, 0, 0x1p-60}, f32), std::nullopt);
  EXPECT_EQ(decide({1 + 0x1p-24, 0x1p-60, 0x1p-70}, f32), 1 + 0x1p-23) << "the low part decides";
  EXPECT_EQ(decide({1 + 0x1p-24, -0x1p-60, 0x1p-70}, f32), 1);
  EXPECT_EQ(decide({1 + 0x1p-24 + 0x1p-52, -0x1p-60, 0x1p-70}, f32), 1 + 0x1p-23) << "no midpoint by its last bit";
  EXPECT_EQ(decide({0x1p-150, 0x1p-210, 0x1p-220}, f32), 0x1p-149);
  EXPECT_EQ(decide({0, 0, 0x1p-151}, f32), 0);
  EXPECT_EQ(decide({1, 0, 1000}, dtype("e4m3")), std::nullopt) << "NaN at both ends, but not between";
  EXPECT_TRUE(std::isnan(decide({-1000, 0, 1}, dtype("e4m3")).value_or(0)));
  EXPECT_EQ(decide({0x1p128, 0, 1}, f32), HUGE_VAL);
  EXPECT_EQ(decide({0x1.ffffffp127, 0, 1}, f32), std::nullopt) << "half way to what would be 2^128";
  EXPECT_EQ(decide({1, 0x1p-80, 0x1p-90}, dtype("f64")), 1);
  EXPECT_EQ(decide({1, -0x1p-54, 0x1p-90}, dtype("f64")), std::nullopt);
}

}  // namespace
}  // namespace attestone
