// SPDX-License-Identifier: Apache-2.0
// Sums of ones that come out right, and copies that are there afterwards.
#include "conformance/bench/limits/bandwidth.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unistd.h>

#include "conformance/bench/limits/rate.hpp"
#include "reference/require.hpp"
#include "reference/tensor/machine_memory.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conformance/bench/limits/bandwidth.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace attestone::inline conformance {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The sum of `count` doubles, a multiple of 4 vectors: four quarters side by side, since memory gives more when it is
/// asked for several pages at once.
double sum_of(const double* from, std::size_t count) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d), quarter = count / 4;
  auto a = hn::Zero(d), b = a, c = a, e = a;
  for (std::size_t i = 0; i < quarter; i += lanes) {
    a = hn::Add(a, hn::Load(d, from + i));
    b = hn::Add(b, hn::Load(d, from + quarter + i));
    c = hn::Add(c, hn::Load(d, from + 2 * quarter + i));
    e = hn::Add(e, hn::Load(d, from + 3 * quarter + i));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone::inline conformance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone::inline conformance {
namespace {

HWY_EXPORT(sum_of);

constexpr std::size_t unit = 128;  ///< doubles: two halves of four vectors of any width up to 1024 bits

}  // namespace

std::size_t last_cache_bytes() {
  long most = 0;
  for (const int level : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE})
    most = std::max(most, sysconf(level));
  return static_cast<std::size_t>(most);
}

std::size_t bytes_beyond_caches() {
  constexpr std::size_t least = std::size_t{64} << 20;
  return std::min<std::size_t>(std::max(2 * last_cache_bytes(), least), machine_memory() / 8);
}

Bandwidth::Bandwidth(int threads, std::size_t bytes)
    : threads_(threads),
      count_(std::max<std::size_t>(bytes / sizeof(double) / unit, 1) * unit),
      array_(new (alignment) double[count_ * static_cast<std::size_t>(threads)]) {
#pragma omp parallel num_threads(threads)
  std::fill_n(part(omp_get_thread_num()), count_, 1.0);  // first touched by the thread that reads it
}

double Bandwidth::read(double seconds) const {
  bool right = true;
  const double bytes = rate(threads_, seconds, [&](int thread) {
    if (HWY_DYNAMIC_DISPATCH(sum_of)(part(thread), count_) != static_cast<double>(count_)) right = false;
    return static_cast<double>(count_ * sizeof(double));
  });
  require(right, "an array of ones sums to its length");
  return bytes;
}

double Bandwidth::copy(double seconds) {
  const std::size_t half = count_ / 2;
  for (int thread = 0; thread < threads_; ++thread) std::memset(part(thread) + half, 0, half * sizeof(double));
  const double bytes = rate(threads_, seconds, [&](int thread) {
    std::memcpy(part(thread) + half, part(thread), half * sizeof(double));
    return static_cast<double>(2 * half * sizeof(double));
  });
  require(std::isfinite(bytes), "a copy takes time");
  for (int thread = 0; thread < threads_; ++thread)
    require(HWY_DYNAMIC_DISPATCH(sum_of)(part(thread) + half, half) == static_cast<double>(half),
            "a copied array is there");
  return bytes;
}

}  // namespace attestone::inline conformance
#endif
