// SPDX-License-Identifier: Apache-2.0
// All channels at once against the definition of the matrix unit of four bits, bit for bit.
#include "backends/cpu/quantization/scaled_unit_values.hpp"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "tests/effort.hpp"

namespace attestone {
namespace {

/// Rows of a product with `channels` columns, and what they are multiplied by.
class Operands {
 public:
  Operands(index rows, index channels, std::mt19937_64& random) : rows_(rows), channels_(channels), random_(random) {
    const auto of = [](index count) { return std::vector<float>(static_cast<std::size_t>(count)); };
    numbers = of(rows * channels), weights = of(rows), sums = of(channels);
    scales = of(blocks() * channels), weight_scales = of(blocks());
    for (auto* some : {&numbers, &weights})
      for (float& x : *some) x = any("e2m1");
    for (auto* some : {&scales, &weight_scales})
      for (float& x : *some) x = random() % 6 == 0 ? 0.0f : std::fabs(random() % 3 == 0 ? any("e4m3") : near_one());
    for (float& sum : sums)
      sum = random() % 4 == 0 ? 0.0f
                              : std::ldexp(near_one() * (random() % 2 ? 1 : -1), static_cast<int>(random() % 60) - 40);
  }

  index blocks() const { return (rows_ + 15) / 16; }

  /// The sum of a channel by the definition, from row `first` on.
  float wanted(const MatrixUnit& unit, index channel, index first) const {
    const auto filled = static_cast<std::size_t>((rows_ - first + unit.group - 1) / unit.group * unit.group);
    std::vector<double> a(filled), b(filled), of_a(filled / 16), of_b(filled / 16);
    for (std::size_t j = 0; j < static_cast<std::size_t>(rows_ - first); ++j) {
      const std::size_t row = static_cast<std::size_t>(first) + j, c = static_cast<std::size_t>(channel);
      const auto width = static_cast<std::size_t>(channels_);
      a[j] = double{weights[row]}, b[j] = double{numbers[row * width + c]};
      of_a[j / 16] = double{weight_scales[row / 16]}, of_b[j / 16] = double{scales[row / 16 * width + c]};
    }
    return static_cast<float>(unit.dot(a, b, double{sums[static_cast<std::size_t>(channel)]}, of_a, of_b));
  }

  std::vector<float> numbers, scales, weights, weight_scales, sums;

 private:
  /// Any code of the format but NaN.
  float any(const char* format) {
    const DType& of = dtype(format);
    for (;;) {
      const double x = of.decode(random_() % (std::uint64_t{1} << of.storage_bits()));
      if (!std::isnan(x)) return static_cast<float>(x);
    }
  }
  float near_one() {
    return static_cast<float>(dtype("e4m3").round(std::exp(std::normal_distribution<double>(0, 2)(random_)),
                                                  Rounding::nearest_even, Overflow::saturate));
  }

  index rows_, channels_;
  std::mt19937_64& random_;
};

TEST(ScaledUnitValues, AreWhatTheUnitSays) {
  const MatrixUnit& unit = matrix_unit("blackwell.nvfp4.f32");
  std::mt19937_64 random(20261128);
  for (index turn = 0; turn < effort(500, 20000); ++turn) {
    const index rows = 1 + static_cast<index>(random() % 150), channels = 1 + static_cast<index>(random() % 9);
    Operands operands(rows, channels, random);
    Device device;
    ScaledUnitValues values(device, unit, rows, channels);
    EXPECT_EQ(device.peak().bytes, ScaledUnitValues::bytes(unit, rows, channels));
    for (index j = 0; j < rows; ++j)
      for (index c = 0; c < channels; ++c) {
        values.set(j, c, operands.numbers[static_cast<std::size_t>(j * channels + c)]);
        values.set_scale(j, c, operands.scales[static_cast<std::size_t>(j / 16 * channels + c)]);
      }
    const index first = static_cast<index>(random() % static_cast<std::uint64_t>(rows)) / unit.group * unit.group;
    std::vector<float> sums = operands.sums;
    values.add(first, operands.weights.data() + first, operands.weight_scales.data() + first / 16, rows - first,
               sums.data());
    for (index c = 0; c < channels; ++c)
      ASSERT_EQ(std::bit_cast<std::uint32_t>(sums[static_cast<std::size_t>(c)]),
                std::bit_cast<std::uint32_t>(operands.wanted(unit, c, first)))
          << "turn " << turn << " channel " << c;
  }
}

/// A score that is not finite stays what it is.
TEST(ScaledUnitValues, LeaveAloneWhatIsNotFinite) {
  constexpr index channels = 3;
  Device device;
  ScaledUnitValues values(device, matrix_unit("blackwell.nvfp4.f32"), 1, channels);
  for (index c = 0; c < channels; ++c) values.set(0, c, 1), values.set_scale(0, c, 1);
  const float weight = 6, scale = 448;
  float sums[channels] = {-INFINITY, NAN, 2};
  values.add(0, &weight, &scale, 1, sums);
  EXPECT_EQ(sums[0], -INFINITY);
  EXPECT_TRUE(std::isnan(sums[1]));
  EXPECT_EQ(sums[2], 2 + 6 * 448);
}

TEST(ScaledUnitValues, AreNoNumbersWhereAScaleIsNone) {
  const MatrixUnit& unit = matrix_unit("blackwell.nvfp4.f32");
  Device device;
  ScaledUnitValues values(device, unit, 1, 1);
  values.set(0, 0, 1), values.set_scale(0, 0, 1);
  const float weight = 1, scale = NAN;
  float sum = 3;
  values.add(0, &weight, &scale, 1, &sum);
  EXPECT_TRUE(std::isnan(sum));
  const std::vector<double> ones(64, 1), scales{NAN, 1, 1, 1};
  EXPECT_TRUE(std::isnan(unit.dot(ones, ones, 3, scales, std::vector<double>(4, 1))));
}

}  // namespace
}  // namespace attestone
