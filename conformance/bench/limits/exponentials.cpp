// SPDX-License-Identifier: Apache-2.0
// exp2 over a small array, whose results are compared with the library's.
#include "conformance/bench/limits/exponentials.hpp"

#include <array>
#include <atomic>
#include <cmath>

#include "conformance/bench/limits/rate.hpp"
#include "reference/require.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conformance/bench/limits/exponentials.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace attestone::inline conformance {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// 2^x in every lane, for x from -125 to 0: the Taylor polynomial of 2^(x - n), whose exponent then grows by n. Adding
/// 1.5 * 2^23 rounds x to n, and leaves n in the lowest bits.
template <class D, class V>
HWY_INLINE V exponential(D d, V x) {
  const hn::RebindToSigned<D> bits;
  const auto rounder = hn::Set(d, 12582912.0f);
  const auto rounded = hn::Add(x, rounder);
  const auto r = hn::Sub(x, hn::Sub(rounded, rounder));
  auto sum = hn::Set(d, 1.540353e-4f);
  sum = hn::MulAdd(sum, r, hn::Set(d, 1.3333558e-3f));
  sum = hn::MulAdd(sum, r, hn::Set(d, 9.6181291e-3f));
  sum = hn::MulAdd(sum, r, hn::Set(d, 5.5504109e-2f));
  sum = hn::MulAdd(sum, r, hn::Set(d, 2.4022651e-1f));
  sum = hn::MulAdd(sum, r, hn::Set(d, 6.9314718e-1f));
  sum = hn::MulAdd(sum, r, hn::Set(d, 1.0f));
  return hn::BitCast(d, hn::Add(hn::BitCast(bits, sum), hn::ShiftLeft<23>(hn::BitCast(bits, rounded))));
}

void exponentials(const float* from, float* to, std::size_t count) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < count; i += 4 * lanes) {
    const auto a = exponential(d, hn::LoadU(d, from + i)), b = exponential(d, hn::LoadU(d, from + i + lanes));
    const auto c = exponential(d, hn::LoadU(d, from + i + 2 * lanes)),
               e = exponential(d, hn::LoadU(d, from + i + 3 * lanes));
    hn::StoreU(a, d, to + i), hn::StoreU(b, d, to + i + lanes);
    hn::StoreU(c, d, to + i + 2 * lanes), hn::StoreU(e, d, to + i + 3 * lanes);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone::inline conformance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone::inline conformance {
namespace {

HWY_EXPORT(exponentials);

constexpr std::size_t count = 2048;
constexpr int passes = 64;
struct alignas(64) Floats : std::array<float, count> {};

Floats arguments() {
  Floats all;
  constexpr float range = 20;
  for (std::size_t i = 0; i < count; ++i) all[i] = -range * static_cast<float>(i) / static_cast<float>(count);
  return all;
}

bool right(const Floats& from, const Floats& to) {
  constexpr float tolerance = 1e-6F;
  for (std::size_t i = 0; i < count; ++i)
    if (!(std::abs(to[i] / std::exp2(from[i]) - 1) < tolerance)) return false;
  return true;
}

}  // namespace

double peak_exponentials(int threads, double seconds) {
  const Floats from = arguments();
  std::atomic<bool> all_right = true;
  const double exponentials_per_second = rate(threads, seconds, [&](int) {
    Floats to;
    for (int pass = 0; pass < passes; ++pass) HWY_DYNAMIC_DISPATCH(exponentials)(from.data(), to.data(), count);
    // A sample each time is enough to need them all: every pass is a call that the compiler does not see through.
    if (!(to[count - 1] < 1)) all_right = false;
    return static_cast<double>(count) * passes;
  });
  Floats to;
  HWY_DYNAMIC_DISPATCH(exponentials)(from.data(), to.data(), count);
  require(all_right && right(from, to), "exponentials are those of the library");
  return exponentials_per_second;
}

}  // namespace attestone::inline conformance
#endif
