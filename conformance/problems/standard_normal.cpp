// SPDX-License-Identifier: Apache-2.0
// The method of Box and Muller, as many numbers at a time as a vector has lanes. No operation is fused, so that vectors
// of every machine agree.
#include "conformance/problems/standard_normal.hpp"

#include <algorithm>
#include <numbers>

#include "reference/require.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conformance/problems/standard_normal.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/certified/numbers/elementary-inl.hpp"

// In the namespace of the reference, whose vectorised logarithm it calls.
HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {

using Numbers = hn::CappedTag<double, 8>;
using Number = hn::Vec<Numbers>;

/// 1/15!, -1/13!, ..., -1/3! and 1/16!, -1/14!, ..., -1/2!: what follows is below 2^-52 of the sum where |x| <= pi/4.
constexpr double sine_series[] = {-1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880,
                                  -1.0 / 5040,          1.0 / 120,        -1.0 / 6};
constexpr double cosine_series[] = {1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
                                    1.0 / 40320,          -1.0 / 720,         1.0 / 24,        -1.0 / 2};

/// The sum of these coefficients times rising powers of `square`, from the first power on.
template <std::size_t terms>
HWY_INLINE Number series(const double (&coefficients)[terms], Number square) {
  const Numbers d;
  Number sum = hn::Zero(d);
  for (const double coefficient : coefficients) sum = hn::Mul(hn::Add(sum, hn::Set(d, coefficient)), square);
  return sum;
}

/// cos(2 pi u) for u in [0, 1): 4 u is exact, and so is what is left of it beside the nearest integer.
HWY_INLINE Number cosine_of_turns(Number u) {
  const Numbers d;
  const Number one = hn::Set(d, 1.0), quarters = hn::Mul(u, hn::Set(d, 4.0)), nearest = hn::Round(quarters);
  const Number x = hn::Mul(hn::Sub(quarters, nearest), hn::Set(d, std::numbers::pi / 2)), square = hn::Mul(x, x);
  const Number cosine = hn::Add(one, series(cosine_series, square));
  const Number sine = hn::Add(x, hn::Mul(x, series(sine_series, square)));
  // cos(pi/2 (n + t)) for n = 0 ... 4 is cos, -sin, -cos, sin, cos of pi/2 t.
  const auto is = [&](double n) HWY_ATTR { return hn::Eq(nearest, hn::Set(d, n)); };
  const Number size = hn::IfThenElse(hn::Or(is(1), is(3)), sine, cosine);
  return hn::IfThenElse(hn::Or(is(1), is(2)), hn::Neg(size), size);
}

/// Numbers below 2^32, exactly: the last bits of 2^52 + n are those of n.
HWY_INLINE Number number_of(const std::uint32_t* words) {
  const Numbers d;
  const hn::RebindToUnsigned<Numbers> bits;
  const hn::Rebind<std::uint32_t, Numbers> of_word;
  const auto of_2_52 = hn::BitCast(bits, hn::Set(d, 0x1p52));
  const auto sum = hn::Or(of_2_52, hn::PromoteTo(bits, hn::LoadU(of_word, words)));
  return hn::Sub(hn::BitCast(d, sum), hn::Set(d, 0x1p52));
}

/// One number of each lane, from two words each.
HWY_INLINE Number normals_of(const std::uint32_t* radii, const std::uint32_t* angles) {
  const Numbers d;
  const Number unit = hn::Set(d, 0x1p-32);
  const Number above_zero = hn::Mul(hn::Add(number_of(radii), hn::Set(d, 0.5)), unit);
  const Number size = hn::Sqrt(hn::Mul(hn::Set(d, -2.0), log_of(d, above_zero)));
  return hn::Mul(size, cosine_of_turns(hn::Mul(number_of(angles), unit)));
}

void standard_normals_on_target(const std::uint32_t* radii, const std::uint32_t* angles, std::size_t count,
                                double* normals) {
  const Numbers d;
  const std::size_t lanes = hn::Lanes(d), whole = count / lanes * lanes;
  for (std::size_t first = 0; first < whole; first += lanes)
    hn::StoreU(normals_of(radii + first, angles + first), d, normals + first);
  if (whole == count) return;
  std::uint32_t radius[hn::MaxLanes(d)] = {}, angle[hn::MaxLanes(d)] = {};
  double normal[hn::MaxLanes(d)];
  std::copy(radii + whole, radii + count, radius);
  std::copy(angles + whole, angles + count, angle);
  hn::StoreU(normals_of(radius, angle), d, normal);
  std::copy_n(normal, count - whole, normals + whole);
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone::inline conformance {

HWY_EXPORT(standard_normals_on_target);

void standard_normals(std::span<const std::uint32_t> radii, std::span<const std::uint32_t> angles,
                      std::span<double> normals) {
  require(radii.size() == normals.size() && angles.size() == normals.size(), "each normal number takes two words");
  HWY_DYNAMIC_DISPATCH(standard_normals_on_target)(radii.data(), angles.data(), normals.size(), normals.data());
}

double standard_normal(const Draw& draw) {
  const std::uint32_t radius = draw.word(0), angle = draw.word(1);
  double normal = 0;
  standard_normals({&radius, 1}, {&angle, 1}, {&normal, 1});
  return normal;
}

}  // namespace attestone::inline conformance
#endif
