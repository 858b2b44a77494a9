// SPDX-License-Identifier: Apache-2.0
// How many bits sums of P V keep: read from the answers of kernels whose matrix units are known.
// slow: probes every kernel
#include "conformance/diagnosis/probes/sum_bits.hpp"

#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "conformance/diagnosis/probes/read_out.hpp"
#include "conformance/trial/trial.hpp"

namespace attestone {
namespace {

const Problem problem = parse_problem("shape=1x2/1x20x70x64 dtype=f16");

/// The bits that SageAttention2 found in Ada's and Hopper's units: 13, within a group and from one group to the next.
/// f16 keeps ten from group to group. The others lose nothing that an f16 of O could show.
TEST(SumBits, AreThoseOfTheMatrixUnit) {
  constexpr int all = SumBits::all_bits;
  const std::pair<const char*, SumBits> kernels[] = {
      {"sage_qk_int8_pv_fp8_cuda:accumulator=fp32", {13, 13}},
      {"sage_qk_int8_pv_fp8_cuda:accumulator=fp32+fp32", {13, 13}},
      {"sage_qk_int8_pv_fp8_cuda_sm90", {13, 13}},
      {"sage2_int4", {13, 13}},
      {"flash3_fp8", {13, 13}},
      {"flash3_fp8:scales=tensor:incoherent=0", {13, 13}},
      {"sage_qk_int8_pv_fp16_cuda:accumulator=fp16", {all, 10}},
      {"sage_qk_int8_pv_fp16_cuda:accumulator=fp16+fp32", {all, 10}},
      {"sage_qk_int8_pv_fp16_triton", {all, 10}},
      {"sage_qk_int8_pv_fp16_cuda", {all, all}},
      {"flash4", {all, all}},
      {"flash", {all, all}},
      {"dense", {all, all}},
  };
  for (const auto& [name, bits] : kernels)
    for (const char* dtype : {"f16", "bf16"}) {
      Problem asked = problem;
      asked.input = asked.output = attestone::dtype(dtype);
      const auto found = sum_bits(*make_kernel(name), asked);
      ASSERT_TRUE(found) << name << " " << dtype;
      EXPECT_EQ(found->within, bits.within) << name << " " << dtype;
      EXPECT_EQ(found->across, bits.across) << name << " " << dtype;
    }
}

/// Weights of 7/4, as those of e4m3 are, and sums in f16: of 2^-11 beside 1 rounding makes 2^-10, which is no eleventh
/// bit.
TEST(SumBits, AreNoMoreThanWhatRoundsToNearestKeeps) {
  const SharedKernel own = make_kernel("dense");
  const ChangedKernel in_half(*own, {.forward = [](const Kernel&, const Problem& of, const Arguments& to, Device&) {
    constexpr double weight = 1.75;
    for_each_element(to.out, [&](index b, index h, index i, index c) {
      double sum = 0;
      for (index j = 0; j < of.shape.keys; ++j)
        sum = dtype("f16").round(sum + weight * to.value.value(b, of.shape.kv_head(h), j, c));
      to.out.set(b, h, i, c, sum / (weight * static_cast<double>(of.shape.keys)));
    });
  }});
  const auto found = sum_bits(in_half, problem);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->within, 10);
  EXPECT_EQ(found->across, 10);
}

/// e4m3 of at most 2.25 and e2m1 have no number so small that sums in f16 or f32 would lose it.
TEST(SumBits, AreNotSaidWhereCodesEndFirst) {
  EXPECT_FALSE(sum_bits(*make_kernel("sage_qk_int8_pv_fp8_cuda"), problem));
  EXPECT_FALSE(sum_bits(*make_kernel("sage3_fp4"), problem));
  EXPECT_FALSE(sum_bits(*make_kernel("sage_qk_int8_pv_fp8_cuda:accumulator=fp32:smooth_v=1"), problem));
}

TEST(SumBits, AreAskedOfRowsWithFortyEightKeys) {
  const auto asked = [](const char* text) { return sum_bits(*make_kernel("dense"), parse_problem(text)).has_value(); };
  EXPECT_TRUE(asked("shape=1x1x48x48x8 mask=causal dtype=f16"));
  EXPECT_TRUE(asked("shape=2x1x3x90x8 lengths=48+5 dtype=f16"));
  EXPECT_FALSE(asked("shape=1x1x3x47x8 dtype=f16"));
  EXPECT_FALSE(asked("shape=2x1x3x90x8 lengths=47+90 dtype=f16"));
  EXPECT_FALSE(asked("shape=1x1x60x60x8 mask=window:20:0 dtype=f16"));
  EXPECT_FALSE(asked("shape=1x1x3x60x8 dropout=0.1 dtype=f16"));
  EXPECT_FALSE(asked("shape=1x1x3x60x8 score=softcap:3 dtype=f16"));
  EXPECT_FALSE(asked("shape=1x1x0x60x8 dtype=f16"));
}

/// A kernel that declares sums in f32 is told what it has.
TEST(SumBits, AreReadOutWhereLessIsDeclared) {
  const auto lines = [](const char* kernel, const char* declared) {
    const SharedKernel own = make_kernel(kernel);
    return precision_read_out(declaring(*own, declared), problem);
  };
  const char* in_f32 = "value.accumulator.roundoff=0x1p-23 value.tile_roundoff=0x1p-23";
  const std::vector<std::string> of_sm90 = lines("sage_qk_int8_pv_fp8_cuda_sm90", in_f32);
  ASSERT_EQ(of_sm90.size(), 1);
  EXPECT_TRUE(of_sm90[0].starts_with("its sums of P V keep 13 bits below the largest term, as ada.e4m3.f32"))
      << of_sm90[0];
  EXPECT_NE(of_sm90[0].find("hopper.e4m3.f32"), std::string::npos);
  EXPECT_EQ(lines("sage_qk_int8_pv_fp16_triton", in_f32),
            std::vector<std::string>{
                "from one group of keys to the next its sums of P V keep 10 bits below the largest term"});
  for (const char* right : {"sage_qk_int8_pv_fp8_cuda_sm90", "sage_qk_int8_pv_fp16_triton", "flash", "dense"})
    EXPECT_TRUE(lines(right, "").empty()) << right;
}

/// Three times O, or O without a key: what is left is no rounding of a sum.
TEST(SumBits, AreNotSaidOfWrongSums) {
  const SharedKernel own = make_kernel("dense");
  const ChangedKernel thrice(
      *own, {.forward = [](const Kernel& kernel, const Problem& of, const Arguments& arguments, Device& device) {
        kernel.forward(of, arguments, device);
        for_each_element(arguments.out, [&](index b, index h, index r, index c) {
          arguments.out.set(b, h, r, c, 3 * arguments.out.value(b, h, r, c));
        });
      }});
  EXPECT_FALSE(sum_bits(thrice, problem));
  const ChangedKernel without_a_key(
      *own, {.forward = [](const Kernel& kernel, const Problem& of, const Arguments& arguments, Device& device) {
        Inputs inputs(of);
        const View value = inputs.value.view();
        for_each_element(value, [&](index b, index h, index r, index c) {
          value.set(b, h, r, c, r == 3 ? 0 : arguments.value.value(b, h, r, c));
        });
        Arguments changed = arguments;
        changed.value = value;
        kernel.forward(of, changed, device);
      }});
  EXPECT_FALSE(sum_bits(without_a_key, problem));
}

}  // namespace
}  // namespace attestone
