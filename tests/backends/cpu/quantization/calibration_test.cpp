// SPDX-License-Identifier: Apache-2.0
// Sizes of static scales: what each kind of calibration promises of the numbers that it has seen.
#include "backends/cpu/quantization/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "backends/cpu/quantization/quantizer.hpp"

namespace attestone {
namespace {

constexpr Calibration all[] = {Calibration::largest, Calibration::percentile, Calibration::least_error};

/// N(0, 1), and a few numbers far away.
std::vector<float> with_outliers(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> numbers(20000);
  for (float& x : numbers) x = static_cast<float>(std::normal_distribution()(random));
  for (int i = 0; i < 10; ++i) numbers[random() % numbers.size()] *= 30;
  return numbers;
}

double error(const std::vector<float>& numbers, CodeRule rule, float largest) {
  const Quantizer& quantizer = attestone::quantizer(rule);
  const float scale = quantizer.scale(largest);
  double sum = 0;
  for (const float x : numbers)
    sum += std::pow(double{quantizer.code(x, largest, scale)} * double{scale} - double{x}, 2);
  return sum;
}

TEST(Calibration, KeepsWhatItPromises) {
  for (const CodeRule rule : {CodeRule::int8_cuda, CodeRule::e4m3, CodeRule::int4_thread})
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const std::vector<float> numbers = with_outliers(seed);
      const auto size = [&](Calibration calibration) { return calibrated_largest(numbers, rule, calibration); };
      EXPECT_EQ(saturated(numbers, size(Calibration::largest)), 0);
      EXPECT_GT(saturated(numbers, std::nextafter(size(Calibration::largest), 0.0f)), 0);
      EXPECT_EQ(saturated(numbers, size(Calibration::percentile)), 20);
      const double least = error(numbers, rule, size(Calibration::least_error));
      for (int part = 1; part <= 64; ++part)
        EXPECT_LE(least, error(numbers, rule, size(Calibration::largest) * static_cast<float>(part) / 64));
    }
}

/// Integers whose steps a few outliers would make thirty times as large lose by saturating those; floats hardly do.
TEST(Calibration, SaturatesOutliersOfIntegers) {
  const std::vector<float> numbers = with_outliers(7);
  const float most = calibrated_largest(numbers, CodeRule::int4_thread, Calibration::largest);
  EXPECT_LT(calibrated_largest(numbers, CodeRule::int4_thread, Calibration::least_error), most);
}

TEST(Calibration, OfFewNumbers) {
  for (const Calibration each : all) {
    EXPECT_EQ(calibrated_largest(std::vector<float>{-2}, CodeRule::int8_cuda, each), 2) << name(each);
    EXPECT_GT(calibrated_largest(std::vector<float>{0, 0, 0, 1e-30f}, CodeRule::int8_cuda, each), 0) << name(each);
  }
}

}  // namespace
}  // namespace attestone
