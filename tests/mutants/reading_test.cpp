// SPDX-License-Identifier: Apache-2.0
// Tests of mutants/hosts/reading/: formats are those of the reference, dropout draws the words of the rules, and the
// two ways to ask a band agree.
#include <gtest/gtest.h>
#include <random>

#include "backends/cpu/parts/philox.hpp"
#include "mutants/hosts/reading/call.hpp"
#include "reference/dtypes/dtype.hpp"
#include "tests/effort.hpp"

namespace attestone {
namespace {

using reading::bf16_bits;
using reading::bf16_value;
using reading::f16_bits;
using reading::f16_value;

TEST(HalfFloats, AreThoseOfTheFormats) {
  const DType &f16 = dtype("f16"), &bf16 = dtype("bf16");
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    const auto bits = static_cast<std::uint16_t>(code);
    const double in_f16 = f16.decode(code), in_bf16 = bf16.decode(code);
    EXPECT_TRUE(std::isnan(in_f16) ? std::isnan(f16_value(bits)) : f16_value(bits) == in_f16) << code;
    EXPECT_TRUE(std::isnan(in_bf16) ? std::isnan(bf16_value(bits)) : bf16_value(bits) == in_bf16) << code;
    if (!std::isnan(in_f16)) {
      EXPECT_EQ(f16_bits(f16_value(bits)), bits);
    }
    if (!std::isnan(in_bf16)) {
      EXPECT_EQ(bf16_bits(bf16_value(bits)), bits);
    }
  }
}

TEST(HalfFloats, AreRoundedAsTheFormatsRound) {
  std::mt19937_64 random(1);
  for (index n = 0; n < effort(200'000, 20'000'000); ++n) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isnan(x)) continue;
    ASSERT_EQ(f16_bits(x), dtype("f16").encode(x)) << x;
    ASSERT_EQ(bf16_bits(x), dtype("bf16").encode(x)) << x;
  }
  // Ties, and what lies beside the ends of the range.
  for (const float x : {1 + 0x1p-11f, 1 + 0x3p-11f, 65504.0f, 65519.0f, 65520.0f, 0x1p-24f, 0x1p-25f, 0x1.8p-25f,
                        0x1p-14f, 0x1.ffep-15f, 1 + 0x1p-8f, 1 + 0x3p-8f, 3.4e38f}) {
    EXPECT_EQ(f16_bits(x), dtype("f16").encode(x)) << x;
    EXPECT_EQ(bf16_bits(x), dtype("bf16").encode(x)) << x;
    EXPECT_EQ(f16_bits(-x), dtype("f16").encode(-x)) << x;
  }
}

/// Doubles of all sizes that the formats tell apart, and of some beyond.
double any_double(std::mt19937_64& random) {
  const double fraction = std::uniform_real_distribution<double>(-1, 1)(random);
  return std::ldexp(fraction, std::uniform_int_distribution<int>(-30, 18)(random));
}

TEST(NarrowFormats, RoundDoublesOnceAsTheFormatsRound) {
  std::mt19937_64 random(2);
  for (index n = 0; n < effort(100'000, 10'000'000); ++n) {
    const double x = any_double(random);
    ASSERT_EQ(reading::nearest(x, reading::f16), dtype("f16").round(x)) << x;
    ASSERT_EQ(reading::nearest(x, reading::bf16), dtype("bf16").round(x)) << x;
    ASSERT_EQ(reading::nearest(x, reading::e4m3), dtype("e4m3").round(x, Rounding::nearest_even, Overflow::saturate))
        << x;
    ASSERT_EQ(reading::nearest(x, reading::e2m1), dtype("e2m1").round(x, Rounding::nearest_even, Overflow::saturate))
        << x;
  }
}

TEST(NarrowFormats, AreThatOfTheTensor) {
  attestone_tensor tensor{};
  tensor.dtype = {ATTESTONE_BFLOAT, 16, 1};
  EXPECT_EQ(&reading::narrow_format_of(tensor), &reading::bf16);
  EXPECT_EQ(reading::format_of(tensor), reading::Format::bf16);
  tensor.dtype = {ATTESTONE_FLOAT, 16, 1};
  EXPECT_EQ(&reading::narrow_format_of(tensor), &reading::f16);
  EXPECT_EQ(reading::format_of(tensor), reading::Format::f16);
  tensor.dtype = {ATTESTONE_FLOAT, 32, 1};
  EXPECT_EQ(reading::format_of(tensor), reading::Format::f32);
}

TEST(DropoutOfHosts, DrawsTheWordsOfTheRules) {
  std::mt19937_64 random(3);
  for (int n = 0; n < 1000; ++n) {
    const std::uint64_t seed = random();
    const auto b = static_cast<std::uint32_t>(random()), h = static_cast<std::uint32_t>(random()),
               i = static_cast<std::uint32_t>(random()), j = static_cast<std::uint32_t>(random());
    ASSERT_EQ(reading::philox_word(seed, b, h, i, j), first_philox_word(seed, {b, h, i, j}));
  }
}

TEST(BandOfHosts, HoldsTheKeysThatItShows) {
  attestone_args args{};
  for (const int form : {ATTESTONE_MASK_FULL, ATTESTONE_MASK_BAND})
    for (const int causal : {0, 1})
      for (const index left : {-1, 0, 3})
        for (const index right : {-1, 0, 2}) {
          args.mask_form = form, args.causal = causal, args.window_left = left, args.window_right = right;
          const reading::Band band = reading::band_of(args);
          for (index position = -4; position < 9; ++position)
            for (index key = 0; key < 6; ++key) {
              const bool banded = form == ATTESTONE_MASK_BAND;
              const bool rule = !banded || ((causal == 0 || key <= position) && (left < 0 || key >= position - left) &&
                                            (right < 0 || key <= position + right));
              const reading::Range keys = band.keys(position, 6);
              EXPECT_EQ(band.shows(position, key), rule);
              EXPECT_EQ(key >= keys.begin && key < keys.end, rule);
            }
        }
}

}  // namespace
}  // namespace attestone
