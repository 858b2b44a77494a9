// SPDX-License-Identifier: Apache-2.0
// Rounding both ends of many enclosures as integers.
#include "reference/certified/numbers/quick_decision.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/certified/numbers/quick_decision.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void decide_quickly_on_target(const DType& dtype, const double* value, const double* bound, index count,
                              double* rounded) {
  const hn::CappedTag<double, 8> d;
  const hn::Repartition<std::uint64_t, decltype(d)> du;
  const int dropped = std::numeric_limits<double>::digits - dtype.precision();  // bits that the format lacks
  const auto least = hn::Set(d, 2 * dtype.smallest_normal()), most = hn::Set(d, dtype.largest() / 2);
  const auto below_half = hn::Set(du, (std::uint64_t{1} << (dropped - 1)) - 1), one = hn::Set(du, 1);
  const auto undecided = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
  const auto round = [&](auto x) HWY_ATTR {
    const auto bits = hn::BitCast(du, x), odd = hn::And(hn::ShiftRightSame(bits, dropped), one);
    // A carry raises the exponent by itself.
    return hn::ShiftRightSame(hn::Add(bits, hn::Add(below_half, odd)), dropped);
  };
  for (index i = 0; i < count; i += static_cast<index>(hn::Lanes(d))) {
    const auto v = hn::Load(d, value + i), magnitude = hn::Abs(v);
    // Twice the unit roundoff of |v| covers the rounding of both ends.
    const auto wider = hn::Add(hn::Load(d, bound + i), hn::Mul(magnitude, hn::Set(d, 0x1p-52)));
    const auto one_end = round(hn::Sub(v, wider)), other_end = round(hn::Add(v, wider));
    const auto easy = hn::And(hn::And(hn::Ge(magnitude, least), hn::Le(magnitude, most)),
                              hn::Lt(wider, hn::Mul(magnitude, hn::Set(d, 0.25))));
    const auto decided = hn::And(easy, hn::RebindMask(d, hn::Eq(one_end, other_end)));
    const auto found = hn::BitCast(d, hn::ShiftLeftSame(one_end, dropped));
    hn::Store(hn::IfThenElse(decided, found, undecided), d, rounded + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone {

HWY_EXPORT(decide_quickly_on_target);

void decide_quickly(const DType& dtype, const double* value, const double* bound, index count, double* rounded) {
  if (dtype.precision() == std::numeric_limits<double>::digits)
    std::fill_n(rounded, count, std::numeric_limits<double>::quiet_NaN());
  else
    HWY_DYNAMIC_DISPATCH(decide_quickly_on_target)(dtype, value, bound, count, rounded);
}

}  // namespace attestone
#endif
