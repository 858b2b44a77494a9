// SPDX-License-Identifier: Apache-2.0
// Codes and scales of every quantizer, bit for bit, against a second implementation in numpy.
#include "backends/cpu/quantization/quantizer.hpp"

#include <bit>

#include "backends/cpu/quantization/shared_scales.hpp"
#include "tests/codes_oracle.hpp"
#include "tests/effort.hpp"

namespace attestone {
namespace {

void expect_agreement(const ToldCodes& told) {
  const index channels = told.channels, rows = static_cast<index>(told.rows.size()) / channels;
  const Sharing sharing{told.sharing, told.count};
  Device device;
  CodedRows ours(device, rows, channels, sharing);
  ours.take(told.rows, quantizer(told.rule));
  EXPECT_EQ(device.peak().bytes, CodedRows::bytes(rows, channels, sharing)) << told.name;
  for (std::size_t i = 0; i < told.rows.size(); ++i) {
    const index at = static_cast<index>(i);
    const float scale = ours.scale(at / channels, at % channels);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(scale), std::bit_cast<std::uint32_t>(told.scales[i]))
        << told.name << " " << i << ": scale " << std::hexfloat << scale << ", not " << told.scales[i];
    ASSERT_EQ(ours.numbers()[i], told.number(i)) << told.name << " " << i << ", of " << std::hexfloat << told.rows[i];
  }
}

TEST(Quantizers, AgreeWithNumpy) {
  if (!has_python()) GTEST_SKIP() << "no .venv with the Python package ml_dtypes";
  for (index seed = 0; seed < effort(1, 100); ++seed) for_each_told(seed, expect_agreement);
}

}  // namespace
}  // namespace attestone
