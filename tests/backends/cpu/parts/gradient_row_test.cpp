// SPDX-License-Identifier: Apache-2.0
// One row between the products of the backward pass: what is hidden is 0, and P and dS end in the input format.
#include "backends/cpu/parts/gradient_row.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace attestone {
namespace {

TEST(GradientRow, EndsInTheInputFormatAndHidesWhatIsHidden) {
  constexpr index keys = 64;
  std::mt19937_64 random(1);
  std::normal_distribution<float> normal;
  for (const char* format : {"f16", "bf16"}) {
    Problem problem;
    problem.input = dtype(format);
    std::array<float, keys> S, dP, slopes;
    std::array<std::uint8_t, keys> seen;
    for (std::size_t j = 0; j < keys; ++j) {
      seen[j] = j % 3 != 0;
      S[j] = seen[j] ? -std::abs(normal(random)) : std::numeric_limits<float>::quiet_NaN();
      dP[j] = seen[j] ? normal(random) : std::numeric_limits<float>::infinity();
      slopes[j] = 0.7f;
    }
    GradientRow(problem).differentiate(
        {{0, 0, 0, 0}, keys, 0.0f, 0.1f, seen.data(), S.data(), dP.data(), slopes.data()}, nullptr);
    for (std::size_t j = 0; j < keys; ++j)
      for (const float result : {S[j], dP[j]}) {
        EXPECT_EQ(double{result}, problem.input.round(result)) << format << " key " << j;
        EXPECT_EQ(result != 0, seen[j] != 0) << format << " key " << j;
      }
  }
}

}  // namespace
}  // namespace attestone
