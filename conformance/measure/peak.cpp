// SPDX-License-Identifier: Apache-2.0
// Loops whose results prove that they ran: sums of ones that come out right.
#include "conformance/measure/peak.hpp"

#include <algorithm>
#include <chrono>
#include <omp.h>

#include "reference/require.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conformance/measure/peak.cpp"
#include <hwy/aligned_allocator.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace attestone {
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

/// The sum of `count` doubles, a multiple of 8 vectors.
double sum_of(const double* from, std::size_t count) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  auto a = hn::Zero(d), b = a, c = a, e = a;
  for (std::size_t i = 0; i < count; i += 4 * lanes) {
    a = hn::Add(a, hn::Load(d, from + i));
    b = hn::Add(b, hn::Load(d, from + i + lanes));
    c = hn::Add(c, hn::Load(d, from + i + 2 * lanes));
    e = hn::Add(e, hn::Load(d, from + i + 3 * lanes));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone {
namespace {

HWY_EXPORT(multiply_adds_f32);
HWY_EXPORT(multiply_adds_f64);
HWY_EXPORT(sum_of);

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Amount per second when every thread runs `work` (which returns an amount) over and over for `seconds`.
template <class Work>
double rate(int threads, double seconds, Work work) {
  double total = 0, longest = 0;
#pragma omp parallel num_threads(threads) reduction(+ : total) reduction(max : longest)
  {
    work(omp_get_thread_num());  // warm: pages, caches, clock
#pragma omp barrier
    const double begin = seconds_now();
    double amount = 0;
    do amount += work(omp_get_thread_num());
    while (seconds_now() - begin < seconds);
    total += amount;
    longest = seconds_now() - begin;
  }
  return total / longest;
}

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

double peak_read_bytes(int threads, std::size_t bytes_per_thread, double seconds) {
  constexpr std::size_t unit = 64;  // doubles: four vectors of any width up to 1024 bits
  const std::size_t count = std::max<std::size_t>(bytes_per_thread / sizeof(double) / unit, 1) * unit;
  const auto arrays = hwy::AllocateAligned<double>(count * static_cast<std::size_t>(threads));
  bool right = true;
  const double bytes = rate(threads, seconds, [&](int thread) {
    double* own = arrays.get() + count * static_cast<std::size_t>(thread);
    if (own[0] != 1) std::fill_n(own, count, 1.0);  // first touched by the thread that reads it
    const double sum = HWY_DYNAMIC_DISPATCH(sum_of)(own, count);
    if (sum != static_cast<double>(count)) right = false;
    return static_cast<double>(count * sizeof(double));
  });
  require(right, "an array of ones sums to its length");
  return bytes;
}

}  // namespace attestone
#endif
