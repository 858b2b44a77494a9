// SPDX-License-Identifier: Apache-2.0
// 2^x in vectors of floats; included once per Highway target.
#if defined(ATTESTONE_SIMD_EXP2_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTESTONE_SIMD_EXP2_INL
#undef ATTESTONE_SIMD_EXP2_INL
#else
#define ATTESTONE_SIMD_EXP2_INL
#endif

#include "backends/cpu/simd/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone::inline backends {
namespace HWY_NAMESPACE {

/// max(limit, x), but NaN where x is NaN. On x86 a maximum is its second operand if either is NaN; elsewhere it may be
/// the other one.
HWY_INLINE FloatVector at_least(FloatVector limit, FloatVector x) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  return hn::Max(limit, x);
#else
  return hn::IfThenElse(hn::Lt(x, limit), limit, x);
#endif
}

/// 2^x for x <= 127, -infinity included; NaN for NaN; exactly 1 at 0, and exactly 0 below -126.5. Errs by at most
/// exp2_relative_error above -126 (backends/cpu/parts/exp2.hpp).
///
/// x = n + f with an integer n and |f| <= 1/2. 2^f is a polynomial of degree 6 (S. L. Moshier, Cephes Mathematical
/// Library, exp2f); 2^n is put together from its bits.
HWY_INLINE FloatVector exp2_up_to_127(FloatVector x) {
  const Floats d;
  const hn::RebindToSigned<Floats> bits;
  constexpr int trailing_bits = 23;
  constexpr float bias = 127;
  // Adding it rounds to an integer, which then stands in the lowest bits, biased as exponents are: from 0 on.
  const FloatVector to_integer = hn::Set(d, 0x1.8p23f + bias);
  const FloatVector clamped = at_least(hn::Set(d, -bias), x);
  const FloatVector shifted = hn::Add(clamped, to_integer);
  const FloatVector f = hn::Sub(clamped, hn::Sub(shifted, to_integer));
  FloatVector power = hn::Set(d, 1.535336188319500e-4f);
  for (const float coefficient : {1.339887440266574e-3f, 9.618437357674640e-3f, 5.550332471162809e-2f,
                                  2.402264791363012e-1f, 6.931472028550421e-1f, 1.0f})
    power = hn::MulAdd(power, f, hn::Set(d, coefficient));
  return hn::Mul(power, hn::BitCast(d, hn::ShiftLeft<trailing_bits>(hn::BitCast(bits, shifted))));
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone::inline backends
HWY_AFTER_NAMESPACE();

#endif
