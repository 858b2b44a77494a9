// SPDX-License-Identifier: Apache-2.0
// What SageAttention's papers state exactly.
#include <cmath>
#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "backends/cpu/quantized_kernels/coded_attention.hpp"
#include "backends/cpu/quantized_kernels/sage_algorithms.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone {
namespace {

/// O of a kernel, whose inputs these functions of (row, channel) make.
std::vector<double> answer(const Kernel& kernel, const Problem& problem, auto query, auto key, auto value) {
  Inputs inputs(problem);
  const auto fill = [](const View& to, auto of) {
    for_each_element(to, [&](index b, index h, index r, index c) { to.set(b, h, r, c, of(r, c)); });
  };
  fill(inputs.query.view(), query);
  fill(inputs.key.view(), key);
  fill(inputs.value.view(), value);
  Outputs outputs(problem);
  Device device;
  kernel.forward(problem, arguments_of(problem, inputs, outputs), device);
  return packed_values(outputs.out.view());
}

/// 64 products are two instructions of 32.
double sum_of_tile(double weight, double value) {
  const std::vector<double> weights(64, weight), values(64, value);
  return matrix_unit("ada.e4m3.f16").dot(weights, values, 0);
}

// SageAttention2++ (arXiv 2505.21136), section 3.2: P and V in ranges of which no tile's sum leaves f16. The released
// kernels have 448 and 2.25, the paper 224 and 4.5.
TEST(Sage2PlusPlus, SumsOfATileNeverLeaveHalf) {
  constexpr double largest = 65504;
  EXPECT_EQ(dtype("f16").largest(), largest);
  EXPECT_EQ(64 * 1023.5, largest) << "what a product may be";
  for (const auto& [weight, value] : {std::pair{448.0, 2.25}, {224.0, 4.5}}) {
    EXPECT_LE(weight * value, 1023.5);
    EXPECT_EQ(sum_of_tile(weight, value), 64512);
    EXPECT_EQ(sum_of_tile(weight, -value), -64512);
    const double next = value + std::ldexp(1.0, std::ilogb(value) - 3);
    EXPECT_EQ(sum_of_tile(weight, next), INFINITY) << "e4m3 has no number in between";
  }
}

CodedAlgorithm with_values_of_whole_e4m3(const Settings&, const Problem&) {
  CodedAlgorithm algorithm = sage_fp8_cuda("fp32+fp16", "per_thread");
  algorithm.value_codes.rule = CodeRule::e4m3;
  return algorithm;
}

/// Equal scores have the largest weights that there are, and a constant V the largest codes.
TEST(Sage2PlusPlus, TheWorstTileIsFinite) {
  const Problem problem = parse_problem("shape=1x1x3x256x64 dtype=f16");
  const auto zero = [](index, index) { return 0.0; };
  const auto constant = [](index, index channel) { return channel % 2 == 0 ? 3.0 : -0.5; };
  const auto of = [&](const Kernel& kernel) { return answer(kernel, problem, zero, zero, constant); };
  const std::vector<double> out = of(*make_kernel("sage_qk_int8_pv_fp8_cuda:accumulator=fp32+fp16"));
  for (std::size_t at = 0; at < out.size(); ++at) {
    const double v = constant(0, static_cast<index>(at % 64));
    EXPECT_NEAR(out[at], v, std::fabs(v) / 448) << "e4m3 has 448 of 2^8.807 = 447.9";
  }
  const Settings none{std::vector<Setting>{}};
  for (const double o : of(CodedAttention("sage_qk_int8_pv_fp8_cuda", none, with_values_of_whole_e4m3)))
    EXPECT_FALSE(std::isfinite(o));
}

// SageAttention (arXiv 2410.02367), section 4.2: what all keys have in common changes no weight. Rows of K in pairs of
// opposites have the mean 0, and with the offset exactly that.
TEST(SageAttention, OffsetsOfKeysChangeNoBit) {
  const Problem problem = parse_problem("shape=1x1x130x160x64 dtype=f16");
  const auto below = [](index row, index channel, index most) {
    return static_cast<double>((row * 37 + channel * 11 + row * channel * 5) % (2 * most + 1) - most);
  };
  const auto query = [&](index row, index channel) { return below(row, channel, 40) / 16; };
  const auto key = [&](index row, index channel) { return below(row / 2, channel, 31) / 16 * (row % 2 == 0 ? 1 : -1); };
  const auto moved_key = [&](index row, index channel) { return key(row, channel) + below(3, channel, 12); };
  const auto value = [&](index row, index channel) { return below(row + 7, channel, 30) / 8; };
  for (const char* name :
       {"sage_qk_int8_pv_fp16_triton", "sage_qk_int8_pv_fp16_cuda", "sage_qk_int8_pv_fp16_cuda:granularity=per_warp",
        "sage_qk_int8_pv_fp8_cuda", "sage_qk_int8_pv_fp8_cuda_sm90", "sage2_int4", "sage3_fp4"}) {
    const SharedKernel kernel = make_kernel(name);
    EXPECT_EQ(answer(*kernel, problem, query, moved_key, value), answer(*kernel, problem, query, key, value)) << name;
  }
  const SharedKernel without = make_kernel("flash3_fp8:incoherent=0");
  EXPECT_NE(answer(*without, problem, query, moved_key, value), answer(*without, problem, query, key, value))
      << "FlashAttention-3 subtracts no mean";
}

}  // namespace
}  // namespace attestone
