// SPDX-License-Identifier: Apache-2.0
// The scalar logarithm, and exp and tanh over arrays.
#include "reference/certified/elementary.hpp"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/certified/elementary.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/certified/elementary-inl.hpp"

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
  apply(s, result, [](auto d, auto x) { return exp_shifted(d, x, hn::Zero(d), hn::Zero(d)); });
}

void tanh_array(std::span<const double> z, std::span<double> result) {
  apply(z, result, [](auto d, auto x) { return tanh(d, x); });
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone {

HWY_EXPORT(exp_array);
HWY_EXPORT(tanh_array);

void exp_certified(std::span<const double> s, std::span<double> result) { HWY_DYNAMIC_DISPATCH(exp_array)(s, result); }
void tanh_certified(std::span<const double> z, std::span<double> result) {
  HWY_DYNAMIC_DISPATCH(tanh_array)(z, result);
}

/// ln x = e ln 2 + 2 atanh(z), z = (f - 1) / (f + 1), f in [sqrt 1/2, sqrt 2), |z| < 0.1716.
double log_certified(double x) {
  constexpr double root_half = 0.70710678118654752;
  constexpr int last_power = 23;  // z^25 / 25 < 2^-66 z
  int e = 0;
  double f = std::frexp(x, &e);
  if (f < root_half) {
    f *= 2;
    --e;
  }
  const double z = (f - 1) / (f + 1), square = z * z;
  double series = 0;
  for (int power = last_power; power >= 3; power -= 2) series = (series + 1.0 / power) * square;
  const double log_f = 2 * (z + z * series);
  return e * ln2_high + (log_f + e * ln2_low);
}

}  // namespace attestone
#endif
