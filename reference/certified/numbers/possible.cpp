// SPDX-License-Identifier: Apache-2.0
// Every pair of kinds.
#include "reference/certified/numbers/possible.hpp"

#include <cmath>

#include "reference/floating_point_environment.hpp"  // -ffast-math knows no NaN

namespace attestone {
namespace {

constexpr Possible kinds[] = {Possible::zero,     Possible::positive,       Possible::negative,
                              Possible::infinite, Possible::minus_infinite, Possible::nan};
constexpr Possible infinities = Possible::infinite | Possible::minus_infinite;

/// What `of` answers to every pair of members.
template <class Of>
Possible over_members(Possible a, Possible b, Of of) {
  Possible all;
  for (const Possible x : kinds)
    for (const Possible y : kinds)
      if (a.meets(x) && b.meets(y)) all |= of(x, y);
  return all;
}

bool is_negative(Possible kind) { return kind == Possible::negative || kind == Possible::minus_infinite; }

Possible sum(Possible x, Possible y) {
  if (x == Possible::nan || y == Possible::nan) return Possible::nan;
  if (infinities.meets(x)) return infinities.meets(y) && x != y ? Possible::nan : x;
  if (infinities.meets(y)) return y;
  if (x == Possible::zero) return y;
  if (y == Possible::zero) return x;
  return x == y ? x : Possible::number;
}

Possible product(Possible x, Possible y) {
  if (x == Possible::nan || y == Possible::nan) return Possible::nan;
  const bool infinite = infinities.meets(x) || infinities.meets(y);
  if (x == Possible::zero || y == Possible::zero) return infinite ? Possible::nan : Possible::zero;
  const bool negative = is_negative(x) != is_negative(y);
  if (infinite) return negative ? Possible::minus_infinite : Possible::infinite;
  return Possible::zero | (negative ? Possible::negative : Possible::positive);
}

}  // namespace

Possible Possible::of(double x) {
  if (std::isnan(x)) return nan;
  if (std::isinf(x)) return x > 0 ? infinite : minus_infinite;
  return x == 0 ? zero : x > 0 ? positive : negative;
}

Possible operator-(Possible a) {
  return over_members(a, Possible::negative, [](Possible x, Possible) {
    if (x == Possible::positive) return Possible::negative;
    if (x == Possible::negative) return Possible::positive;
    if (x == Possible::infinite) return Possible::minus_infinite;
    return x == Possible::minus_infinite ? Possible::infinite : x;
  });
}

Possible operator+(Possible a, Possible b) { return over_members(a, b, sum); }
Possible operator*(Possible a, Possible b) { return over_members(a, b, product); }

}  // namespace attestone
