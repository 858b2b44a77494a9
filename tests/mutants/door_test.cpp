// SPDX-License-Identifier: Apache-2.0
// Kernels behind the C door in this process: what they write beside their tensors is seen, and their 16-bit floats are
// those of the formats.
#include "mutants/hosts/door.hpp"

#include <gtest/gtest.h>

#include "backends/kernel_fault.hpp"
#include "mutants/hosts/half_floats.hpp"
#include "reference/dtypes/dtype.hpp"
#include "tests/effort.hpp"
#include "tests/random_call.hpp"

namespace attestone {
namespace {

/// Fills the output with ones, and writes `beyond` more elements behind it.
SharedKernel writing(index beyond) {
  const auto forward = [beyond](const attestone_args& args) {
    auto* const out = static_cast<float*>(args.out.data);
    const index count = args.batch * args.heads * args.queries * args.value_dim;
    for (index at = 0; at < count + beyond; ++at) out[at] = 1;
    for (index at = 0; at < args.batch * args.heads * args.queries; ++at)
      static_cast<float*>(args.log_sum_exp.data)[at] = static_cast<float>(args.threads);
  };
  return door_kernel("writing", {.forward = forward, .backward = {}, .limits = "dtypes=f32 layouts=bhsd"});
}

TEST(Door, AnswersAreReadBack) {
  RandomCall call(parse_problem("shape=2x2x3x4x5"));
  call.run(*writing(0));
  EXPECT_EQ(call.outputs.out.view().value(1, 1, 2, 4), 1);
  EXPECT_EQ(call.outputs.log_sum_exp.view().value(1, 1, 2, 0), door_threads);
}

TEST(Door, WhatIsWrittenBehindATensorIsSeen) {
  RandomCall call(parse_problem("shape=1x1x3x4x5"));
  try {
    call.run(*writing(1));
    ADD_FAILURE() << "nobody has seen it";
  } catch (const KernelFault& fault) {
    EXPECT_EQ(fault.reason(), "out-of-bounds-write");
  }
}

TEST(Door, LimitsAreRefusals) {
  EXPECT_TRUE(writing(0)->supports(parse_problem("shape=1x1x3x4x5")));
  EXPECT_FALSE(writing(0)->supports(parse_problem("shape=1x1x3x4x5 dtype=f16")));
  EXPECT_FALSE(writing(0)->supports(parse_problem("shape=1x1x3x4x5 layout=bshd")));
}

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

}  // namespace
}  // namespace attestone
