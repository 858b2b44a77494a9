// SPDX-License-Identifier: Apache-2.0
// Loops whose results prove that they ran: sums of ones that come out right.
#include "conformance/bench/limits/peak.hpp"

#include "conformance/bench/limits/rate.hpp"
#include "reference/require.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conformance/bench/limits/peak.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace attestone::inline conformance {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Independent sums: enough to fill two pipes of latency 4, few enough for 16 registers.
constexpr int chains = 12;

/// steps times x = x * one + one in every lane of every chain, with one = 1, which the compiler cannot know. The chains
/// start at 0, 1, 2, ..., so that none is a copy of another, and must end at that plus `steps`. Returns the operations
/// done, or 0 if a lane is wrong.
template <class T>
double multiply_adds(std::size_t steps, T one_at_run_time) {
  const hn::ScalableTag<T> d;
  const auto one = hn::Set(d, one_at_run_time), zero = hn::Zero(d);
  auto a = zero, b = hn::Add(a, one), c = hn::Add(b, one), e = hn::Add(c, one), f = hn::Add(e, one);
  auto g = hn::Add(f, one), h = hn::Add(g, one), i = hn::Add(h, one), j = hn::Add(i, one), k = hn::Add(j, one);
  auto l = hn::Add(k, one), m = hn::Add(l, one);
  for (std::size_t step = 0; step < steps; ++step) {
    a = hn::MulAdd(a, one, one), b = hn::MulAdd(b, one, one), c = hn::MulAdd(c, one, one);
    e = hn::MulAdd(e, one, one), f = hn::MulAdd(f, one, one), g = hn::MulAdd(g, one, one);
    h = hn::MulAdd(h, one, one), i = hn::MulAdd(i, one, one), j = hn::MulAdd(j, one, one);
    k = hn::MulAdd(k, one, one), l = hn::MulAdd(l, one, one), m = hn::MulAdd(m, one, one);
  }
  const auto count = hn::Set(d, static_cast<T>(steps));
  auto expected = count, wrong = zero;
  const auto check = [&](const auto& chain) HWY_ATTR {
    wrong = hn::Max(wrong, hn::Abs(hn::Sub(chain, expected)));
    expected = hn::Add(expected, one);
  };
  check(a), check(b), check(c), check(e), check(f), check(g), check(h), check(i), check(j), check(k), check(l),
      check(m);
  if (hn::GetLane(hn::MaxOfLanes(d, wrong)) != 0) return 0;
  return 2.0 * chains * static_cast<double>(hn::Lanes(d) * steps);
}

double multiply_adds_f32(std::size_t steps, double one) { return multiply_adds(steps, static_cast<float>(one)); }
double multiply_adds_f64(std::size_t steps, double one) { return multiply_adds(steps, one); }

}  // namespace HWY_NAMESPACE
}  // namespace attestone::inline conformance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone::inline conformance {
namespace {

HWY_EXPORT(multiply_adds_f32);
HWY_EXPORT(multiply_adds_f64);

/// Small enough for f32 to count exactly.
constexpr std::size_t steps = 100'000;

/// A 1 that the compiler cannot see.
double run_time_one() {
  volatile double one = 1;
  return one;
}

}  // namespace

double peak_f32_flops(int threads, double seconds) {
  const double one = run_time_one();
  const double flops =
      rate(threads, seconds, [one](int) { return HWY_DYNAMIC_DISPATCH(multiply_adds_f32)(steps, one); });
  require(flops > 0, "a loop of multiply-adds counts its own steps");
  return flops;
}

double peak_f64_flops(int threads, double seconds) {
  const double one = run_time_one();
  const double flops =
      rate(threads, seconds, [one](int) { return HWY_DYNAMIC_DISPATCH(multiply_adds_f64)(steps, one); });
  require(flops > 0, "a loop of multiply-adds counts its own steps");
  return flops;
}

}  // namespace attestone::inline conformance
#endif
