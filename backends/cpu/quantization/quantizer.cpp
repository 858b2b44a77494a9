// SPDX-License-Identifier: Apache-2.0
// The table of quantizers, each written as its kernel has it.
#include "backends/cpu/quantization/quantizer.hpp"

#include <algorithm>
#include <cmath>

#include "reference/dtypes/dtype.hpp"
#include "reference/require.hpp"

namespace attestone::inline backends {
namespace {

/// float to int8 of a GPU: cut off, saturated, NaN becomes 0 (PTX ISA, cvt).
float cut_to_integer(float x, float largest) {
  return std::isnan(x) ? 0 : std::clamp(std::trunc(x), -largest - 1, largest);
}

/// y += 0.5 * sign(y) and a cast, where the sign of 0 is positive. The sum is rounded, too: what is just below 1/2 may
/// come out as 1.
float half_added(float x, float largest) { return cut_to_integer(x + (x >= 0 ? 0.5f : -0.5f), largest); }

/// To the nearest number of a format, ties to even; the largest one beyond it (PTX ISA, cvt.rn.satfinite, cvt.rni.sat).
float nearest(float x, const DType& format) {
  return static_cast<float>(format.round(x, Rounding::nearest_even, Overflow::saturate));
}

const DType& e4m3() {
  static const DType& format = dtype("e4m3");
  return format;
}

const DType& e2m1() {
  static const DType& format = dtype("e2m1");
  return format;
}

template <int largest_code>
float by_quotient(float x, float, float scale) {
  return half_added(x / scale, largest_code);
}

constexpr float least_largest = 1e-7f;  // of SageAttention's CUDA kernels
constexpr float largest_of_e4m3 = 448, largest_of_e2m1 = 6;

template <int target>
float floored_scale(float largest) {
  return std::max(largest, least_largest) / target;
}

/// So that the largest number of a group becomes `target`, and none more. (Where the quotient overflows, the source
/// makes NaN of 0, as in a channel of nothing but 0, and 448 of all others.)
float towards(float target, float x, float largest) {
  return x == 0 ? x : nearest(std::clamp(x * (target / largest), -target, target), e4m3());
}

/// NVFP4's scale of sixteen numbers.
float e4m3_scale(float largest) { return nearest(largest / largest_of_e2m1, e4m3()); }

/// OCP MX v1.0, section 6.3: the largest power of two that is no larger than `largest`, divided by that of the format.
template <int largest_exponent>
float power_scale(float largest) {
  constexpr int least = -127, most = 127;
  if (!std::isfinite(largest)) return NAN;
  return std::ldexp(1.0f, largest == 0 ? least : std::clamp(std::ilogb(largest) - largest_exponent, least, most));
}

constexpr Quantizer all[] = {
    {CodeRule::f16, "SageAttention 2.2, quant.py, sub_mean", "f16", [](float) { return 1.0f; },
     [](float x, float, float) { return static_cast<float>(dtype("f16").round(x)); }},
    {CodeRule::int8_block, "SageAttention 1.0.6, quant_per_block.py", "int8",
     [](float largest) { return largest / 127.0f; }, by_quotient<127>},
    {CodeRule::int8_thread, "SageAttention 2.2, triton/quant_per_thread.py", "int8",
     [](float largest) { return largest / 127.0f + 0.0000001f; }, by_quotient<127>},
    {CodeRule::int4_thread, "SageAttention 2.2, triton/quant_per_thread.py", "int4",
     [](float largest) { return largest / 7.0f + 0.0000001f; }, by_quotient<7>},
    {CodeRule::int8_cuda, "SageAttention 2.2, csrc/fused/fused.cu", "int8", floored_scale<127>,
     [](float x, float largest, float) {
       return cut_to_integer(std::nearbyint(x * (127.0f / std::max(largest, least_largest))), 127);
     }},
    {CodeRule::e4m3, "SageAttention 2.2, csrc/fused/fused.cu: accumulators of f32", "e4m3",
     [](float largest) { return largest / largest_of_e4m3; },
     [](float x, float largest, float) { return towards(largest_of_e4m3, x, largest); }},
    {CodeRule::e4m3_small, "SageAttention 2.2, csrc/fused/fused.cu: accumulators of f16", "e4m3",
     [](float largest) { return largest / 2.25f; },
     [](float x, float largest, float) { return towards(2.25f, x, largest); }},
    {CodeRule::nvfp4, "SageAttention3, sageattention3_blackwell", "e2m1", e4m3_scale,
     [](float x, float, float scale) { return scale == 0 ? 0.0f : nearest(x * (1.0f / scale), e2m1()); }},
    {CodeRule::mxfp4, "OCP MX v1.0", "e2m1", power_scale<2>,
     [](float x, float, float scale) { return nearest(x / scale, e2m1()); }},
    {CodeRule::mxfp8, "OCP MX v1.0", "e4m3", power_scale<8>,
     [](float x, float, float scale) { return nearest(x / scale, e4m3()); }},
};

}  // namespace

std::span<const Quantizer> quantizers() { return all; }

const Quantizer& quantizer(CodeRule rule) {
  const auto* found = std::ranges::find(all, rule, &Quantizer::rule);
  require(found != std::end(all), "codes are made by a rule");
  return *found;
}

}  // namespace attestone::inline backends
