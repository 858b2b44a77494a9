// SPDX-License-Identifier: Apache-2.0
// The kernels' own codec against the vocabulary's formats.
#include "backends/cpu/parts/codec.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

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

TEST(Codec, StoresRowsRoundedOnce) {
  std::mt19937 random(11);
  for (const auto& [name, distance] :
       {std::pair{"f32", 1}, {"f32", 3}, {"f16", 1}, {"f16", 3}, {"bf16", 1}, {"bf16", 3}}) {
    constexpr index count = 64;
    Tensor stored(dtype(name), {1, 1, 1, count}, {500, 500, 500, distance}), exact(dtype(name), {1, 1, 1, count});
    for (index round = 0; round < effort(3000, 1'000'000); ++round) {
      std::array<float, count> row;
      for (float& number : row) number = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
      // A third of them is a tie, or next to one, where the format has 8 or 11 bits.
      for (std::size_t i = 0; i < row.size(); i += 3) {
        const auto high = std::bit_cast<std::uint32_t>(row[i]) & 0xFFFF8000u;
        row[i] = std::bit_cast<float>(high + static_cast<std::uint32_t>(i % 9 / 3 * 0x1000 + random() % 3 - 1));
      }
      const double factor = round % 2 ? 1 : std::ldexp(1 + static_cast<double>(random() % 1000) / 999, -6);
      store_float_rows(stored.view(), 0, 0, {0, 0}, {row.data(), count}, factor);
      for (index c = 0; c < count; ++c) {
        const double number = factor * double{row[static_cast<std::size_t>(c)]};
        exact.view().set(0, 0, 0, c, number);
        const double is = stored.view().value(0, 0, 0, c), should = exact.view().value(0, 0, 0, c);
        ASSERT_TRUE(std::isnan(should) ? std::isnan(is) : is == should && std::signbit(is) == std::signbit(should))
            << name << " " << number << ": " << is << ", not " << should;
      }
    }
    EXPECT_TRUE(stored.guards_intact());
  }
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
