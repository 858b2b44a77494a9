// SPDX-License-Identifier: Apache-2.0
// Operations are counted by closed forms, which agree with asking about every pair.
#include "conformance/bench/amounts.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attestone {
namespace {

double pairs_one_by_one(const Problem& problem) {
  double pairs = 0;
  const Shape& s = problem.shape;
  for (index batch = 0; batch < s.batch; ++batch)
    for (index head = 0; head < s.heads; ++head)
      for (index query = 0; query < s.queries; ++query)
        for (index key = 0; key < s.keys; ++key) pairs += problem.visible({batch, head, query, key});
  return pairs;
}

TEST(BenchAmounts, CountEveryPairThatTakesPart) {
  for (const char* shape : {"1x1x7x7x4", "2x4/2x9x17x8", "1x2x17x9x8", "1x8x1x33x4", "3x1x1x1x1"})
    for (const char* mask : {"full", "causal", "causal:top_left", "window:3:0", "window:-1:2", "window:2:-1",
                             "window:0:0", "window:40:40", "~causal", "causal&window:4:1", "dense:50"}) {
      const Problem problem = parse_problem(fmt::format("shape={} mask={}", shape, mask));
      EXPECT_EQ(useful_pairs(problem), pairs_one_by_one(problem)) << problem.text();
    }
  for (const char* line : {"shape=2x2x9x17x8 lengths=7+13 mask=causal", "shape=2x2x9x17x8 lengths=7+0",
                           "shape=2x2x9x17x8 lengths=17+5 query_lengths=3+9 mask=window:2:0"}) {
    const Problem problem = parse_problem(line);
    EXPECT_EQ(useful_pairs(problem), pairs_one_by_one(problem)) << line;
  }
}

TEST(BenchAmounts, AreTheUsualFormulas) {
  constexpr double n = 512, d = 64, heads = 8;
  const auto flops = [](const std::string& more) { return useful_flops(parse_problem("shape=1x8x512x512x64" + more)); };
  EXPECT_EQ(flops(""), heads * 4 * n * n * d);
  EXPECT_EQ(flops(" mask=causal"), heads * 4 * n * (n + 1) / 2 * d);
  EXPECT_EQ(flops(" pass=forward+backward"), heads * 10 * n * n * d);
  EXPECT_EQ(flops(" mask=causal pass=forward+backward"), heads * 10 * n * (n + 1) / 2 * d);
}

TEST(BenchAmounts, TellChannelsOfKeysFromThoseOfValues) {
  constexpr double pairs = 3 * 5;
  EXPECT_EQ(useful_flops(parse_problem("shape=1x1x3x5x4:7")), 2 * pairs * (4 + 7));
  EXPECT_EQ(useful_flops(parse_problem("shape=1x1x3x5x4:7 pass=forward+backward")), 2 * pairs * (3 * 4 + 2 * 7));
}

TEST(BenchAmounts, ReadKeysAndValuesOnceForAllHeadsThatShareThem) {
  EXPECT_EQ(key_value_bytes(parse_problem("shape=2x8/2x1x100x16:4")), 2 * 2 * 100 * (16 + 4) * 4);
  EXPECT_EQ(key_value_bytes(parse_problem("shape=2x8/2x1x100x16:4 dtype=bf16")), 2 * 2 * 100 * (16 + 4) * 2);
  EXPECT_EQ(tensor_bytes(parse_problem("shape=1x1x3x5x4:7")), 4 * (3 * 4 + 5 * 4 + 5 * 7 + 3 * 7 + 3));
  EXPECT_EQ(tensor_bytes(parse_problem("shape=1x1x3x5x4:7 pass=forward+backward")),
            4 * (2 * (3 * 4 + 5 * 4 + 5 * 7 + 3 * 7) + 3));
}

}  // namespace
}  // namespace attestone
