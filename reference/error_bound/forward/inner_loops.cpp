// SPDX-License-Identifier: Apache-2.0
// The loops in the vectors of the machine at hand, and what is left of a row number by number.
#include "reference/error_bound/forward/inner_loops.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/error_bound/forward/inner_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// step(tag, at): whole vectors first, then one number at a time.
template <class Step>
HWY_INLINE void in_vectors(std::size_t count, const Step& step) {
  const hn::ScalableTag<double> whole;
  const hn::CappedTag<double, 1> single;
  std::size_t at = 0;
  for (; at + hn::Lanes(whole) <= count; at += hn::Lanes(whole)) step(whole, at);
  for (; at < count; ++at) step(single, at);
}

template <class D, class V>
HWY_INLINE void add_to(D d, double* sums, V a, V b, V c, V e) {
  hn::StoreU(hn::Add(hn::LoadU(d, sums), hn::Add(hn::Add(a, b), hn::Add(c, e))), d, sums);
}

void add_products_here(const Four<double>& q, const Four<const double*>& k, std::size_t count, double* raw,
                       double* magnitude) {
  in_vectors(count, [&](auto d, std::size_t j) HWY_ATTR {
    const auto product = [&](std::size_t i) HWY_ATTR { return hn::Mul(hn::Set(d, q[i]), hn::LoadU(d, k[i] + j)); };
    const auto a = product(0), b = product(1), c = product(2), e = product(3);
    add_to(d, raw + j, a, b, c, e);
    add_to(d, magnitude + j, hn::Abs(a), hn::Abs(b), hn::Abs(c), hn::Abs(e));
  });
}

void add_answer_here(const FourKeys& k, std::size_t channels, const AnswerSums& sums) {
  in_vectors(channels, [&](auto d, std::size_t c) HWY_ATTR {
    const auto times = [&](const Four<double>& x, std::size_t i)
                           HWY_ATTR { return hn::Mul(hn::Set(d, x[i]), hn::LoadU(d, k.v[i] + c)); };
    add_to(d, sums.out + c, times(k.share, 0), times(k.share, 1), times(k.share, 2), times(k.share, 3));
    const auto out = hn::LoadU(d, sums.out + c);
    hn::StoreU(hn::Min(hn::LoadU(d, sums.lowest + c), out), d, sums.lowest + c);
    hn::StoreU(hn::Max(hn::LoadU(d, sums.highest + c), out), d, sums.highest + c);
    add_to(d, sums.mean + c, times(k.present, 0), times(k.present, 1), times(k.present, 2), times(k.present, 3));
  });
}

void add_errors_here(const FourKeys& k, double factor, bool centred, std::size_t channels, const ErrorSums& sums) {
  in_vectors(channels, [&](auto d, std::size_t c) HWY_ATTR {
    const auto out = hn::LoadU(d, sums.out + c);
    const auto value = [&](std::size_t i) HWY_ATTR { return hn::Mul(hn::Set(d, factor), hn::LoadU(d, k.v[i] + c)); };
    const auto v0 = value(0), v1 = value(1), v2 = value(2), v3 = value(3);
    const auto times = [&](const Four<double>& x, std::size_t i, auto y)
                           HWY_ATTR { return hn::Mul(hn::Set(d, x[i]), y); };
    const auto squared = [&](auto x) HWY_ATTR { return hn::Mul(x, x); };
    const auto d0 = hn::Abs(hn::Sub(v0, out)), d1 = hn::Abs(hn::Sub(v1, out));
    const auto d2 = hn::Abs(hn::Sub(v2, out)), d3 = hn::Abs(hn::Sub(v3, out));
    const auto size0 = times(k.upper, 0, hn::Abs(v0)), size1 = times(k.upper, 1, hn::Abs(v1));
    const auto size2 = times(k.upper, 2, hn::Abs(v2)), size3 = times(k.upper, 3, hn::Abs(v3));
    add_to(d, sums.weighted + c, size0, size1, size2, size3);
    if (centred)
      add_to(d, sums.cast_squares + c, squared(times(k.upper, 0, d0)), squared(times(k.upper, 1, d1)),
             squared(times(k.upper, 2, d2)), squared(times(k.upper, 3, d3)));
    else
      add_to(d, sums.cast_squares + c, squared(size0), squared(size1), squared(size2), squared(size3));
    add_to(d, sums.error + c, times(k.error, 0, d0), times(k.error, 1, d1), times(k.error, 2, d2),
           times(k.error, 3, d3));
    add_to(d, sums.systematic + c, times(k.systematic, 0, d0), times(k.systematic, 1, d1), times(k.systematic, 2, d2),
           times(k.systematic, 3, d3));
    add_to(d, sums.chain_squares + c, squared(times(k.chain_root, 0, d0)), squared(times(k.chain_root, 1, d1)),
           squared(times(k.chain_root, 2, d2)), squared(times(k.chain_root, 3, d3)));
    const auto threshold = hn::LoadU(d, sums.seen_from + c), one = hn::Set(d, 1.0);
    const auto is_seen = [&](auto size) HWY_ATTR { return hn::IfThenElseZero(hn::Gt(size, threshold), one); };
    add_to(d, sums.seen + c, is_seen(size0), is_seen(size1), is_seen(size2), is_seen(size3));
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone {

HWY_EXPORT(add_products_here);
HWY_EXPORT(add_answer_here);
HWY_EXPORT(add_errors_here);

void add_products(const Four<double>& q, const Four<const double*>& k, std::size_t count, double* raw,
                  double* magnitude) {
  HWY_DYNAMIC_DISPATCH(add_products_here)(q, k, count, raw, magnitude);
}

void add_answer(const FourKeys& keys, std::size_t channels, const AnswerSums& sums) {
  HWY_DYNAMIC_DISPATCH(add_answer_here)(keys, channels, sums);
}

void add_errors(const FourKeys& keys, double factor, bool centred, std::size_t channels, const ErrorSums& sums) {
  HWY_DYNAMIC_DISPATCH(add_errors_here)(keys, factor, centred, channels, sums);
}

}  // namespace attestone
#endif
