// SPDX-License-Identifier: Apache-2.0
// All channels at once against the definition of the matrix unit, bit for bit.
#include "backends/cpu/quantization/unit_values.hpp"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "tests/effort.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

/// A number of the format: any code, or one near 1, so that sums neither vanish nor overflow always.
float drawn(const DType& format, bool any, std::mt19937_64& random) {
  if (any) return static_cast<float>(format.decode(random() % (std::uint64_t{1} << format.storage_bits())));
  return static_cast<float>(format.round(std::normal_distribution<double>(0, 1)(random)));
}

class UnitValuesOf : public testing::TestWithParam<std::string> {};

TEST_P(UnitValuesOf, AreWhatTheUnitSays) {
  const MatrixUnit& unit = matrix_unit(GetParam());
  const DType& format = dtype(unit.operand);
  std::mt19937_64 random(20261127);
  for (index turn = 0; turn < effort(300, 20000); ++turn) {
    const bool any = turn % 4 == 0;
    const index keys = 1 + static_cast<index>(random() % 150), channels = 1 + static_cast<index>(random() % 9);
    std::vector<float> rows(static_cast<std::size_t>(keys * channels));
    for (float& v : rows) v = random() % 8 == 0 ? 0.0f : drawn(format, any, random);
    Device device;
    UnitValues values(device, unit, keys, channels);
    EXPECT_EQ(device.peak().bytes, UnitValues::bytes(unit, keys, channels));
    values.take(rows.data(), keys);
    const index first = static_cast<index>(random() % static_cast<std::uint64_t>(keys)) / unit.group * unit.group;
    const index count = 1 + static_cast<index>(random() % static_cast<std::uint64_t>(keys - first));
    std::vector<float> weights(static_cast<std::size_t>(count)), sums(static_cast<std::size_t>(channels));
    for (float& p : weights) p = any ? drawn(format, true, random) : std::fabs(drawn(format, false, random)) / 4;
    for (float& p : weights) p = static_cast<float>(format.round(double{p}));
    for (float& sum : sums) sum = turn % 3 == 0 ? 0 : drawn(unit.accumulator(), false, random);
    const std::vector<float> before = sums;
    values.add(first, weights.data(), count, sums.data());
    const index filled = (count + unit.group - 1) / unit.group * unit.group;
    for (index c = 0; c < channels; ++c) {
      std::vector<double> a(static_cast<std::size_t>(filled)), b(a);
      for (index j = 0; j < count; ++j) {
        a[static_cast<std::size_t>(j)] = double{weights[static_cast<std::size_t>(j)]};
        b[static_cast<std::size_t>(j)] = double{rows[static_cast<std::size_t>((first + j) * channels + c)]};
      }
      const auto wanted = static_cast<float>(unit.dot(a, b, double{before[static_cast<std::size_t>(c)]}));
      ASSERT_EQ(std::bit_cast<std::uint32_t>(sums[static_cast<std::size_t>(c)]), std::bit_cast<std::uint32_t>(wanted))
          << unit.name << " turn " << turn << " channel " << c << ": " << sums[static_cast<std::size_t>(c)] << ", not "
          << wanted;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Units, UnitValuesOf,
                         testing::Values("ampere.f16.f16", "ampere.f16.f32", "turing.f16.f16", "ada.e4m3.f32",
                                         "ada.e4m3.f16", "hopper.e4m3.f32", "hopper.f16.f32", "hopper.bf16.f32"),
                         by_parameter);

/// The number that a hidden key holds changes no sum.
TEST(UnitValues, BehindTheLastKeyTakeNoPart) {
  const MatrixUnit& unit = matrix_unit("ampere.f16.f16");
  Device device;
  UnitValues values(device, unit, 8, 1);
  std::vector<float> rows(8, 1.0f);
  rows[5] = std::numeric_limits<float>::infinity();
  values.take(rows.data(), 8);
  const std::vector<float> weights(8, 1.0f);
  float sum = 0;
  values.add(0, weights.data(), 5, &sum);
  EXPECT_EQ(sum, 5);
  values.add(0, weights.data(), 6, &sum);
  EXPECT_EQ(sum, std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace attestone
