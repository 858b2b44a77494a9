// SPDX-License-Identifier: Apache-2.0
// The softmax of a row against double, on every instruction set.
#include "backends/cpu/decode/row_softmax.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/backends/cpu/simd/panel_memory.hpp"

namespace attestone {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

TEST(RowSoftmax, WeighsAndSumsEveryKey) {
  std::map<bool, std::vector<float>> first;
  on_every_target([&](std::mt19937& random) {
    std::vector<float> all;
    for (const index count : {row_lanes, 2 * row_lanes, 8 * row_lanes}) {
      PanelMemory S(count);
      S.set_normal(random, 3);
      S[count - 1] = S[count / 2] = -infinity;
      const std::vector<float> scores(S.data(), S.data() + count);
      const float top = *std::ranges::max_element(scores);
      OnlineSoftmax softmax{top - 1, 4};
      EXPECT_EQ(weigh_row(S.data(), count, softmax), 0.5f);
      EXPECT_EQ(softmax.m, top);
      double sum = 2;
      for (index j = 0; j < count; ++j) {
        const float distance = scores[static_cast<std::size_t>(j)] - top;
        const double right = std::exp2(double{distance});
        ASSERT_NEAR(S[j], right, right * exp2_relative_error);
        sum += right;
      }
      EXPECT_EQ(S[count - 1], 0);
      EXPECT_NEAR(softmax.l / sum, 1, static_cast<double>(count) * 0x1p-23);
      all.push_back(softmax.l);
    }
    const auto [known, fresh] = first.try_emplace(fuses(hwy::SupportedAndGeneratedTargets().front()), all);
    EXPECT_TRUE(fresh || known->second == all) << "the order of sums does not depend on the width of vectors";
  });
}

TEST(RowSoftmax, KeepsALargerMaximum) {
  on_every_target([](std::mt19937&) {
    PanelMemory S(row_lanes);
    S.set_all(1);
    OnlineSoftmax softmax{3, 8};
    EXPECT_EQ(weigh_row(S.data(), row_lanes, softmax), 1);
    EXPECT_EQ(softmax.m, 3);
    EXPECT_EQ(softmax.l, 8 + 16 * 0.25f);
  });
}

TEST(RowSoftmax, OfNothingIsNothing) {
  on_every_target([](std::mt19937&) {
    PanelMemory S(row_lanes);
    S.set_all(-infinity);
    OnlineSoftmax softmax;
    weigh_row(S.data(), row_lanes, softmax);
    EXPECT_EQ(softmax.m, -infinity);
    EXPECT_EQ(softmax.l, 0);
    for (index j = 0; j < row_lanes; ++j) EXPECT_EQ(S[j], 0);
  });
}

TEST(RowSoftmax, NanReachesTheSumAndNotTheMaximum) {
  on_every_target([](std::mt19937&) {
    for (const index at : {0, 7, 15}) {
      PanelMemory S(row_lanes);
      S.set_all(1);
      S[at] = std::numeric_limits<float>::quiet_NaN();
      OnlineSoftmax softmax;
      weigh_row(S.data(), row_lanes, softmax);
      EXPECT_EQ(softmax.m, 1);
      EXPECT_TRUE(std::isnan(softmax.l));
    }
  });
}

}  // namespace
}  // namespace attestone
