// SPDX-License-Identifier: Apache-2.0
// The kernels' own codec against the vocabulary's formats.
#include "backends/cpu/parts/codec.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "tests/effort.hpp"

namespace attestone {
namespace {

TEST(Codec, ReadsEveryCodeOfTheNarrowFormats) {
  for (const char* name : {"f16", "bf16"}) {
    Tensor tensor(dtype(name), {1, 1, 1, 1});
    const FloatRows reader(std::as_const(tensor).view());
    for (std::uint64_t code = 0; code < 0x10000; ++code) {
      tensor.fill_code(code);
      float got = 0;
      reader.read(0, 0, 0, &got);
      const double want = dtype(name).decode(code);
      ASSERT_TRUE(std::isnan(want) ? std::isnan(got) : double{got} == want) << name << " " << code;
    }
  }
}

TEST(Codec, ReadsThroughAnyStrides) {
  Tensor tensor(dtype("bf16"), {2, 2, 3, 4}, {100, 41, 13, 3});
  tensor.fill_code(0);
  tensor.view().set(1, 0, 2, 3, 7);
  std::array<float, 4> row{};
  FloatRows(std::as_const(tensor).view()).read(1, 0, 2, row.data());
  EXPECT_EQ(row, (std::array<float, 4>{0, 0, 0, 7}));
}

TEST(Codec, RoundsWeightsAsTheFormatsDo) {
  const auto step = static_cast<std::uint32_t>(effort(127, 1));  // odd: every pattern of low bits occurs
  for (const char* name : {"f16", "bf16"})
    for (std::uint32_t bits = 0; bits <= std::bit_cast<std::uint32_t>(1.0f); bits += step) {
      float weight = std::bit_cast<float>(bits);
      const double want = dtype(name).round(weight);
      round_weights({&weight, 1}, dtype(name));
      ASSERT_EQ(double{weight}, want) << name << " " << bits;
    }
}

TEST(Codec, RoundsGradientsOfAnySizeAndSign) {
  const auto step = static_cast<std::uint64_t>(effort(65521, 61));  // primes: every pattern of low bits occurs
  for (const char* name : {"f16", "bf16"})
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += step) {
      const float exact = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      float gradient = exact;
      round_gradients({&gradient, 1}, dtype(name));
      const double want = dtype(name).round(exact);
      ASSERT_TRUE(std::isnan(want) ? std::isnan(gradient) : double{gradient} == want) << name << " " << bits;
    }
  for (const float edge : {65504.0f, 65519.99f, 65520.0f, -65520.0f, 65536.0f}) {
    float gradient = edge;
    round_gradients({&gradient, 1}, dtype("f16"));
    EXPECT_EQ(double{gradient}, dtype("f16").round(edge)) << edge;
  }
}

TEST(Codec, KeepsNaN) {
  for (const char* name : {"f16", "bf16"}) {
    float weight = std::bit_cast<float>(~std::uint32_t{0});
    round_weights({&weight, 1}, dtype(name));
    EXPECT_TRUE(std::isnan(weight)) << name;
  }
}

}  // namespace
}  // namespace attestone
