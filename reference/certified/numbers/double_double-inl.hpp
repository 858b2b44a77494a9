// SPDX-License-Identifier: Apache-2.0
// Vectors of double-double numbers (unevaluated sums of two doubles, about 106 bits) and their exp and tanh; included
// once per Highway target. Errors: docs/certified.md, "Double-double".
#if defined(ATTESTONE_DOUBLE_DOUBLE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTESTONE_DOUBLE_DOUBLE_INL
#undef ATTESTONE_DOUBLE_DOUBLE_INL
#else
#define ATTESTONE_DOUBLE_DOUBLE_INL
#endif

#include "reference/certified/numbers/elementary-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {

template <class D>
struct DoubleDouble {
  hn::Vec<D> high, low;
};

/// a + b, exactly (Knuth).
template <class D, class V = hn::Vec<D>>
HWY_INLINE DoubleDouble<D> two_sum(D, V a, V b) {
  const V sum = hn::Add(a, b), back = hn::Sub(sum, a);
  return {sum, hn::Add(hn::Sub(a, hn::Sub(sum, back)), hn::Sub(b, back))};
}

/// a + b, exactly, if |a| >= |b| or a = 0 (Dekker).
template <class D, class V = hn::Vec<D>>
HWY_INLINE DoubleDouble<D> fast_two_sum(D, V a, V b) {
  const V sum = hn::Add(a, b);
  return {sum, hn::Sub(b, hn::Sub(sum, a))};
}

/// a * b, exactly but for underflow; without a fused multiply-add by splitting into halves (Veltkamp, Dekker).
template <class D, class V = hn::Vec<D>>
HWY_INLINE DoubleDouble<D> two_product(D d, V a, V b) {
  const V product = hn::Mul(a, b);
#if HWY_NATIVE_FMA
  (void)d;
  return {product, hn::MulSub(a, b, product)};
#else
  const V splitter = hn::Set(d, 0x1p27 + 1);
  const auto upper_half = [&](V x) HWY_ATTR {
    const V c = hn::Mul(splitter, x);
    return hn::Sub(c, hn::Sub(c, x));
  };
  const V a1 = upper_half(a), b1 = upper_half(b), a2 = hn::Sub(a, a1), b2 = hn::Sub(b, b1);
  const V middle = hn::Add(hn::Add(hn::Sub(hn::Mul(a1, b1), product), hn::Mul(a1, b2)), hn::Mul(a2, b1));
  return {product, hn::Add(middle, hn::Mul(a2, b2))};
#endif
}

template <class D>
HWY_INLINE DoubleDouble<D> add(D d, const DoubleDouble<D>& a, const DoubleDouble<D>& b) {
  const auto high = two_sum(d, a.high, b.high), low = two_sum(d, a.low, b.low);
  const auto sum = fast_two_sum(d, high.high, hn::Add(high.low, low.high));
  return fast_two_sum(d, sum.high, hn::Add(sum.low, low.low));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE DoubleDouble<D> add(D d, const DoubleDouble<D>& a, V b) {
  const auto sum = two_sum(d, a.high, b);
  return fast_two_sum(d, sum.high, hn::Add(sum.low, a.low));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE DoubleDouble<D> multiply(D d, const DoubleDouble<D>& a, V b) {
  const auto product = two_product(d, a.high, b);
  return fast_two_sum(d, product.high, hn::Add(product.low, hn::Mul(a.low, b)));
}

template <class D>
HWY_INLINE DoubleDouble<D> multiply(D d, const DoubleDouble<D>& a, const DoubleDouble<D>& b) {
  const auto product = two_product(d, a.high, b.high);
  const auto cross = hn::Add(hn::Mul(a.high, b.low), hn::Mul(a.low, b.high));
  return fast_two_sum(d, product.high, hn::Add(product.low, cross));
}

template <class D>
HWY_INLINE DoubleDouble<D> divide(D d, const DoubleDouble<D>& a, const DoubleDouble<D>& b) {
  const auto first = hn::Div(a.high, b.high);
  const auto rest = add(d, a, multiply(d, b, hn::Neg(first)));
  return fast_two_sum(d, first, hn::Div(rest.high, b.high));
}

/// s - n ln 2, with ln 2 in three parts, the first two of 32 bits: n times them is exact for |n| < 2^21.
template <class D, class V = hn::Vec<D>>
HWY_INLINE DoubleDouble<D> reduced(D d, const DoubleDouble<D>& s, V n) {
  const V first = hn::Sub(s.high, hn::Mul(n, hn::Set(d, ln2_high)));  // exact, as in double
  const auto second = two_sum(d, first, hn::Neg(hn::Mul(n, hn::Set(d, ln2_middle))));
  const auto third = two_sum(d, second.high, s.low);
  const V low = hn::Sub(hn::Add(second.low, third.low), hn::Mul(n, hn::Set(d, ln2_rest)));
  return fast_two_sum(d, third.high, low);
}

/// (e^r - 1) / r: the last terms of the series in double, the first ones in double-double.
template <class D>
HWY_INLINE DoubleDouble<D> exp_quotient(D d, const DoubleDouble<D>& r) {
  // 1/23! .. 1/14!
  constexpr double last_terms[] = {0x1.761b41316381ap-75, 0x1.0ce396db7f853p-70, 0x1.71b8ef6dcf572p-66,
                                   0x1.e542ba4020225p-62, 0x1.2f49b46814157p-57, 0x1.6827863b97d97p-53,
                                   0x1.952c77030ad4ap-49, 0x1.ae7f3e733b81fp-45, 0x1.ae7f3e733b81fp-41,
                                   0x1.93974a8c07c9dp-37};
  struct Term {
    double high, low;
  };
  constexpr Term first_terms[] = {
      {0x1.6124613a86d09p-33, 0x1.f28e0cc748ebep-87},   // 1/13!
      {0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83},  // 1/12!
      {0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80},  // 1/11!
      {0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76},   // 1/10!
      {0x1.71de3a556c734p-19, -0x1.c154f8ddc6c00p-73},  // 1/9!
      {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76},   // 1/8!
      {0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73},   // 1/7!
      {0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65},  // 1/6!
      {0x1.1111111111111p-7, 0x1.1111111111111p-63},    // 1/5!
      {0x1.5555555555555p-5, 0x1.5555555555555p-59},    // 1/4!
      {0x1.5555555555555p-3, 0x1.5555555555555p-57},    // 1/3!
      {0.5, 0},
      {1, 0},
  };
  auto tail = hn::Zero(d);
  for (const double term : last_terms) tail = hn::MulAdd(tail, r.high, hn::Set(d, term));
  DoubleDouble<D> sum{tail, hn::Zero(d)};
  for (const Term& term : first_terms) {
    const auto product = multiply(d, sum, r);
    // The term is the larger one: |r| < 0.347.
    const auto high = fast_two_sum(d, hn::Set(d, term.high), product.high);
    sum = fast_two_sum(d, high.high, hn::Add(high.low, hn::Add(product.low, hn::Set(d, term.low))));
  }
  return sum;
}

/// e^s * 2^-shift, or 0 if that is a lost weight. |s| <= score_limit.
template <class D, class V = hn::Vec<D>>
HWY_INLINE DoubleDouble<D> exp_shifted(D d, const DoubleDouble<D>& s, V shift) {
  const V n = nearest_power(d, s.high);
  const auto r = reduced(d, s, n);
  const auto grown = multiply(d, exp_quotient(d, r), r);
  const auto one_more = fast_two_sum(d, hn::Set(d, 1.0), grown.high);
  const auto p = fast_two_sum(d, one_more.high, hn::Add(one_more.low, grown.low));
  const V power = scaled_by_power(d, hn::Set(d, 1.0), hn::Sub(n, shift));
  return {hn::Mul(p.high, power), hn::Mul(p.low, power)};
}

/// tanh z = E / (E + 2), E = e^(2|z|) - 1 = 2^n (e^r - 1) + (2^n - 1).
template <class D, class V = hn::Vec<D>>
HWY_INLINE DoubleDouble<D> tanh(D d, const DoubleDouble<D>& z) {
  const V one = hn::Set(d, 1.0);
  constexpr double saturated = 96;  // tanh 48 = 1 - 4e-42
  const auto negative = hn::Lt(z.high, hn::Zero(d));
  const V limit = hn::Set(d, saturated), twice = hn::Add(hn::Abs(z.high), hn::Abs(z.high));
  const V low = hn::IfThenElse(negative, hn::Neg(z.low), z.low);
  const DoubleDouble<D> x{hn::Min(twice, limit), hn::IfThenElseZero(hn::Lt(twice, limit), hn::Add(low, low))};
  const V n = nearest_power(d, x.high);
  const auto r = reduced(d, x, n);
  const auto grown = multiply(d, exp_quotient(d, r), r);
  const V power = scaled_by_power(d, one, n);
  const auto e =
      add(d, DoubleDouble<D>{hn::Mul(grown.high, power), hn::Mul(grown.low, power)}, two_sum(d, power, hn::Neg(one)));
  const auto t = divide(d, e, add(d, e, hn::Set(d, 2.0)));
  return {hn::IfThenElse(negative, hn::Neg(t.high), t.high), hn::IfThenElse(negative, hn::Neg(t.low), t.low)};
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#endif
