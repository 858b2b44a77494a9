// SPDX-License-Identifier: Apache-2.0
// What holds of every quantizer, whoever published it.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

#include "backends/cpu/quantization/shared_scales.hpp"
#include "reference/dtypes/dtype.hpp"
#include "tests/effort.hpp"

namespace attestone {
namespace {

constexpr index rows = 40, channels = 64;
constexpr Sharing sharings[] = {{ScaleSharing::head},           {ScaleSharing::rows, 1},
                                {ScaleSharing::rows, 16},       {ScaleSharing::query_thread, 32},
                                {ScaleSharing::key_thread, 32}, {ScaleSharing::channel},
                                {ScaleSharing::channels, 16},   {ScaleSharing::rows_of_channel, 16}};

/// Codes, and what they stand for.
struct Coded {
  std::vector<float> codes, numbers;
};

Coded coded(const std::vector<float>& from, const Quantizer& quantizer, const Sharing& sharing) {
  Device device;
  CodedRows all(device, rows, channels, sharing);
  all.take(from, quantizer);
  Coded result{{all.numbers(), all.numbers() + from.size()}, {}};
  for (index r = 0; r < rows; ++r)
    for (index c = 0; c < channels; ++c) result.numbers.push_back(all.numbers()[r * channels + c] * all.scale(r, c));
  return result;
}

std::vector<float> drawn(std::mt19937_64& random) {
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> numbers;
  for (index at = 0; at < rows * channels; ++at) numbers.push_back(normal(random));
  return numbers;
}

template <class Law>
void of_each(Law law) {
  std::mt19937_64 random(20261130);
  for (index turn = 0; turn < effort(2, 200); ++turn)
    for (const Quantizer& quantizer : quantizers())
      for (const Sharing& sharing : sharings) {
        SCOPED_TRACE(std::string(quantizer.source) + ", sharing " + std::to_string(static_cast<int>(sharing.by)));
        law(quantizer, sharing, drawn(random));
        if (testing::Test::HasFailure()) return;
      }
}

TEST(QuantizerLaws, WhatIsOnTheGridStaysThere) {
  of_each([](const Quantizer& quantizer, const Sharing& sharing, const std::vector<float>& numbers) {
    const Coded once = coded(numbers, quantizer, sharing);
    EXPECT_EQ(coded(once.numbers, quantizer, sharing).codes, once.codes);
  });
}

TEST(QuantizerLaws, NumbersStayWithinTheCoarsenessOfTheirRule) {
  of_each([](const Quantizer& quantizer, const Sharing& sharing, const std::vector<float>& numbers) {
    const Coded once = coded(numbers, quantizer, sharing);
    std::map<index, double> largest;
    const auto group_of = [&](std::size_t at) {
      return sharing.group(static_cast<index>(at) / channels, static_cast<index>(at) % channels, channels);
    };
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      double& of_group = largest[group_of(at)];
      of_group = std::max(of_group, std::fabs(double{numbers[at]}));
    }
    const double share = coarseness({.rule = quantizer.rule});
    for (std::size_t at = 0; at < numbers.size(); ++at)
      ASSERT_LE(std::fabs(double{once.numbers[at]} - double{numbers[at]}), share * largest[group_of(at)] + 1e-7);
  });
}

TEST(QuantizerLaws, PowersOfTwoChangeNoCode) {
  of_each([](const Quantizer& quantizer, const Sharing& sharing, const std::vector<float>& numbers) {
    // Its scale is not proportional to the largest number: 1e-7 is added.
    if (quantizer.rule == CodeRule::int8_thread || quantizer.rule == CodeRule::int4_thread) return;
    if (quantizer.rule == CodeRule::f16) return;  // which has none
    std::vector<float> larger = numbers;
    for (float& x : larger) x *= 8;
    const Coded once = coded(numbers, quantizer, sharing), of_larger = coded(larger, quantizer, sharing);
    EXPECT_EQ(of_larger.codes, once.codes);
    for (std::size_t at = 0; at < numbers.size(); ++at) EXPECT_EQ(of_larger.numbers[at], 8 * once.numbers[at]);
  });
}

TEST(QuantizerLaws, CodesHaveTheSignAndTheRangeOfTheirNumbers) {
  of_each([](const Quantizer& quantizer, const Sharing& sharing, std::vector<float> numbers) {
    numbers[7] = 3e38f, numbers[200] = -3e38f, numbers[900] = 0, numbers[1300] = -1e-30f;
    const Coded once = coded(numbers, quantizer, sharing);
    // What has no scale overflows.
    const double largest = quantizer.rule == CodeRule::f16 ? INFINITY : dtype(quantizer.format).largest();
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      EXPECT_GE(once.codes[at] * numbers[at], 0) << "sign of " << numbers[at] << ", " << once.codes[at];
      EXPECT_LE(std::fabs(once.codes[at]), largest);
    }
    EXPECT_EQ(once.codes[7], *std::ranges::max_element(once.codes)) << "what is beyond all others does not wrap";
  });
}

/// Where the quotient of 2.25 or 448 and the largest number overflows.
TEST(QuantizerLaws, SubnormalNumbersHaveNoLargerCodes) {
  of_each([](const Quantizer& quantizer, const Sharing& sharing, std::vector<float> numbers) {
    const auto largest = [](const std::vector<float>& codes) {
      return std::fabs(*std::ranges::max_element(codes, {}, [](float x) { return std::fabs(x); }));
    };
    const float usual = largest(coded(numbers, quantizer, sharing).codes);
    for (float& x : numbers) x *= 1e-40f;
    EXPECT_LE(largest(coded(numbers, quantizer, sharing).codes), usual);
  });
}

/// 0 / 0 is NaN in one rule, of which a GPU makes the code 0.
TEST(QuantizerLaws, ZerosStandForZeros) {
  of_each([](const Quantizer& quantizer, const Sharing& sharing, std::vector<float> numbers) {
    std::ranges::fill(numbers, 0.0f);
    const Coded once = coded(numbers, quantizer, sharing);
    EXPECT_TRUE(std::ranges::all_of(once.numbers, [](float x) { return x == 0; }));
  });
}

/// True if two rows can change places without changing any scale: they share all their scales, or each has its own.
bool may_change_places(const Sharing& sharing, index a, index b) {
  const bool of_single_rows =
      sharing.by == ScaleSharing::channels || (sharing.by == ScaleSharing::rows && sharing.count == 1);
  return of_single_rows || sharing.group(a, 0, channels) == sharing.group(b, 0, channels);
}

TEST(QuantizerLaws, CodesFollowTheirRows) {
  of_each([](const Quantizer& quantizer, const Sharing& sharing, const std::vector<float>& numbers) {
    const std::vector<float> once = coded(numbers, quantizer, sharing).codes;
    const auto changed_places = [](std::vector<float> all, index a, index b) {
      std::swap_ranges(all.begin() + a * channels, all.begin() + (a + 1) * channels, all.begin() + b * channels);
      return all;
    };
    int exchanged = 0;
    for (index a = 0; a < rows; a += 3)
      for (index b = a + 1; b < rows; b += 3) {
        if (!may_change_places(sharing, a, b)) continue;
        ++exchanged;
        EXPECT_EQ(coded(changed_places(numbers, a, b), quantizer, sharing).codes, changed_places(once, a, b));
      }
    EXPECT_GT(exchanged, 0);
  });
}

}  // namespace
}  // namespace attestone
