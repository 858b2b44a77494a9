// SPDX-License-Identifier: Apache-2.0
// exp, tanh and log over arrays.
#include "reference/certified/numbers/elementary.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/certified/numbers/elementary.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/certified/numbers/elementary-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {

constexpr std::size_t array_lanes = 8;

/// Applies `function` to blocks of array_lanes numbers; the last block is padded with 0.
template <class Function>
void apply(std::span<const double> from, std::span<double> to, Function function) {
  const hn::CappedTag<double, array_lanes> d;
  for (std::size_t begin = 0; begin < from.size(); begin += array_lanes) {
    const std::size_t count = std::min(array_lanes, from.size() - begin);
    HWY_ALIGN double block[array_lanes] = {};
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(begin), count, block);
    for (std::size_t lane = 0; lane < array_lanes; lane += hn::Lanes(d))
      hn::Store(function(d, hn::Load(d, block + lane)), d, block + lane);
    std::copy_n(block, count, to.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

void exp_array(std::span<const double> s, std::span<double> result) {
  apply(s, result, [](auto d, auto x) { return exp_shifted(d, x, hn::Zero(d)); });
}

void tanh_array(std::span<const double> z, std::span<double> result) {
  apply(z, result, [](auto d, auto x) { return tanh(d, x); });
}

void log_array(std::span<const double> x, std::span<double> result) {
  apply(x, result, [](auto d, auto v) { return log_of(d, v); });
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone {

HWY_EXPORT(exp_array);
HWY_EXPORT(tanh_array);
HWY_EXPORT(log_array);

void exp_certified(std::span<const double> s, std::span<double> result) { HWY_DYNAMIC_DISPATCH(exp_array)(s, result); }
void tanh_certified(std::span<const double> z, std::span<double> result) {
  HWY_DYNAMIC_DISPATCH(tanh_array)(z, result);
}
void log_certified(std::span<const double> x, std::span<double> result) { HWY_DYNAMIC_DISPATCH(log_array)(x, result); }

}  // namespace attestone
#endif
