// SPDX-License-Identifier: Apache-2.0
// exp and tanh of vectors of doubles, for any instruction set; included once per Highway target.
#if defined(ATTESTONE_ELEMENTARY_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTESTONE_ELEMENTARY_INL
#undef ATTESTONE_ELEMENTARY_INL
#else
#define ATTESTONE_ELEMENTARY_INL
#endif

#include <hwy/highway.h>

#include "reference/certified/numbers/elementary.hpp"
#include "reference/certified/numbers/unrolled-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr double log2_of_e = 0x1.71547652b82fep+0;
/// Adding it leaves the nearest integer in the last bits of the sum, for magnitudes below 2^51.
constexpr double rounding_magic = 0x1.8p52;

/// 1/23, 1/21, ..., 1/3: the next term of the series of atanh is z^25 / 25 < 2^-66 z.
constexpr double log_series[] = {1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                                 1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3};

/// rounding_magic + the integer nearest to s / ln 2, or its neighbour where s / ln 2 is close to half way.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V biased_power(D d, V s) {
  return hn::Add(hn::Mul(s, hn::Set(d, log2_of_e)), hn::Set(d, rounding_magic));
}

/// That integer.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V nearest_power(D d, V s) {
  return hn::Sub(biased_power(d, s), hn::Set(d, rounding_magic));
}

/// s - n ln 2, in [-0.3467, 0.3467] when n = nearest_power(s) and |s| <= score_limit.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V reduced(D d, V s, V n) {
  return hn::NegMulAdd(n, hn::Set(d, ln2_low), hn::NegMulAdd(n, hn::Set(d, ln2_high), s));
}

/// 1/13!, 1/12!, ..., 1/2!.
constexpr double exp_series[] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,
                                 1.0 / 362880,     1.0 / 40320,     1.0 / 5040,     1.0 / 720,
                                 1.0 / 120,        1.0 / 24,        1.0 / 6,        1.0 / 2};
constexpr int exp_terms = 12;

/// (e^r - 1 - r) / r^2 by Taylor's polynomial, degree 11 in r, of some vectors: step by step together, as one alone
/// would wait for itself.
template <int count, class D, class V = hn::Vec<D>>
HWY_INLINE void exp_tails(D d, const V (&r)[count], V (&p)[count]) {
  unrolled<count>([&]<int i>() ATTESTONE_IN_KERNEL { p[i] = hn::Set(d, exp_series[0]); });
  unrolled<exp_terms - 1>([&]<int term>() ATTESTONE_IN_KERNEL {
    const V coefficient = hn::Set(d, exp_series[term + 1]);
    unrolled<count>([&]<int i>() ATTESTONE_IN_KERNEL { p[i] = hn::MulAdd(p[i], r[i], coefficient); });
  });
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_tail(D d, V r) {
  const V all[1] = {r};
  V p[1];
  exp_tails<1>(d, all, p);
  return p[0];
}

/// x * 2^k for integers k in [lost_weight_exponent, 1000] and x in [1/2, 2): exact; 0 for smaller k. `biased` is
/// rounding_magic + k, so that k stands in its last bits.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V scaled_by_biased_power(D d, V x, V biased) {
  const hn::Repartition<std::int64_t, D> di;
  constexpr int trailing_bits = 52;
  const auto shift = hn::ShiftLeft<trailing_bits>(hn::BitCast(di, biased));
  const V scaled = hn::BitCast(d, hn::Add(hn::BitCast(di, x), shift));
  return hn::IfThenElseZero(hn::Ge(biased, hn::Set(d, rounding_magic + lost_weight_exponent)), scaled);
}

/// Scales x by 2^k, given k itself as a number.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V scaled_by_power(D d, V x, V k) {
  return scaled_by_biased_power(d, x, hn::Add(k, hn::Set(d, rounding_magic)));
}

/// p[i] = e^(s[i] + correction) * 2^-shift, or 0 if that is a lost weight; corrected(i, r) is r + correction, which is
/// small.
template <int count, class D, class Corrected, class V = hn::Vec<D>>
HWY_INLINE void exps_of_corrected(D d, const V (&s)[count], Corrected corrected, V shift, V (&p)[count]) {
  const V one = hn::Set(d, 1.0), magic = hn::Set(d, rounding_magic);
  V biased[count], r[count];
  unrolled<count>([&]<int i>() ATTESTONE_IN_KERNEL { biased[i] = biased_power(d, s[i]); });
  unrolled<count>([&]<int i>()
                      ATTESTONE_IN_KERNEL { r[i] = corrected(i, reduced(d, s[i], hn::Sub(biased[i], magic))); });
  exp_tails<count>(d, r, p);
  unrolled<count>([&]<int i>() ATTESTONE_IN_KERNEL { p[i] = hn::MulAdd(p[i], r[i], one); });
  unrolled<count>([&]<int i>() ATTESTONE_IN_KERNEL { p[i] = hn::MulAdd(p[i], r[i], one); });
  unrolled<count>([&]<int i>() ATTESTONE_IN_KERNEL {
    p[i] = scaled_by_biased_power(d, p[i], hn::Sub(biased[i], shift));  // exact: integers, and few bits
  });
}

/// e^s * 2^-shift, or 0 if that is a lost weight.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_shifted(D d, V s, V shift) {
  const V all[1] = {s};
  V p[1];
  exps_of_corrected<1>(
      d, all, [](int, V r) ATTESTONE_IN_KERNEL { return r; }, shift, p);
  return p[0];
}

/// tanh z = E / (E + 2) with E = e^(2|z|) - 1, which keeps its relative accuracy for small z.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V tanh(D d, V z) {
  const V one = hn::Set(d, 1.0), two = hn::Set(d, 2.0);
  constexpr double saturated = 64;  // tanh 32 = 1 - 3.2e-28
  const V magnitude = hn::Abs(z);
  const V x = hn::Min(hn::Add(magnitude, magnitude), hn::Set(d, saturated));
  const V n = nearest_power(d, x);
  const V r = reduced(d, x, n);
  const V grown = hn::MulAdd(hn::Mul(exp_tail(d, r), r), r, r);  // e^r - 1
  const V power = scaled_by_power(d, one, n);
  const V e = hn::MulAdd(power, grown, hn::Sub(power, one));  // 2^n (e^r - 1) + (2^n - 1)
  return hn::CopySign(hn::Div(e, hn::Add(e, two)), z);
}

/// ln x of a normal x > 0: e ln 2 + 2 atanh(z), z = (f - 1) / (f + 1), f in [sqrt 1/2, sqrt 2), |z| < 0.1716. Without
/// fused operations, so that it has the same bits on every machine.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log_of(D d, V x) {
  const hn::Repartition<std::uint64_t, D> du;
  constexpr std::uint64_t trailing = (std::uint64_t{1} << 52) - 1, one_bits = std::uint64_t{1023} << 52;
  constexpr double root_two = 1.4142135623730951;
  const V one = hn::Set(d, 1.0), magic = hn::Set(d, rounding_magic);
  const auto bits = hn::BitCast(du, x);
  // The exponent field as a double: in the last bits of 1.5 * 2^52.
  const auto field = hn::ShiftRight<52>(bits);
  const V biased = hn::Sub(hn::BitCast(d, hn::Add(hn::BitCast(du, magic), field)), magic);
  const V significand = hn::BitCast(d, hn::Or(hn::And(bits, hn::Set(du, trailing)), hn::Set(du, one_bits)));
  const auto high = hn::Ge(significand, hn::Set(d, root_two));
  const V f = hn::IfThenElse(high, hn::Mul(significand, hn::Set(d, 0.5)), significand);
  const V e = hn::Add(hn::Sub(biased, hn::Set(d, 1023.0)), hn::IfThenElseZero(high, one));
  const V z = hn::Div(hn::Sub(f, one), hn::Add(f, one)), square = hn::Mul(z, z);
  V series = hn::Zero(d);
  for (const double coefficient : log_series) series = hn::Mul(hn::Add(series, hn::Set(d, coefficient)), square);
  const V inner = hn::Add(z, hn::Mul(z, series)), log_f = hn::Add(inner, inner);
  return hn::Add(hn::Mul(e, hn::Set(d, ln2_high)), hn::Add(log_f, hn::Mul(e, hn::Set(d, ln2_low))));
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#endif
