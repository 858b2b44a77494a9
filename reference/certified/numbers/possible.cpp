// SPDX-License-Identifier: Apache-2.0
// Every pair of kinds.
#include "reference/certified/numbers/possible.hpp"

#include <cmath>

#include "reference/tensor/floating_point_environment.hpp"  // -ffast-math knows no NaN

namespace attestone {
namespace {

constexpr Possible kinds[] = {Possible::zero,     Possible::positive,       Possible::negative,
                              Possible::infinite, Possible::minus_infinite, Possible::nan};
constexpr Possible infinities = Possible::infinite | Possible::minus_infinite;

/// The union of the answers of `of` to every pair of members.
template <class Of>
constexpr Possible over_members(Possible a, Possible b, Of of) {
  Possible all;
  for (const Possible x : kinds)
    for (const Possible y : kinds)
      if (a.meets(x) && b.meets(y)) all |= of(x, y);
  return all;
}

constexpr bool is_negative(Possible kind) { return kind == Possible::negative || kind == Possible::minus_infinite; }

constexpr Possible sum(Possible x, Possible y) {
  if (x == Possible::nan || y == Possible::nan) return Possible::nan;
  if (infinities.meets(x)) return infinities.meets(y) && x != y ? Possible::nan : x;
  if (infinities.meets(y)) return y;
  if (x == Possible::zero) return y;
  if (y == Possible::zero) return x;
  return x == y ? x : Possible::number;
}

constexpr Possible product(Possible x, Possible y) {
  if (x == Possible::nan || y == Possible::nan) return Possible::nan;
  const bool infinite = infinities.meets(x) || infinities.meets(y);
  if (x == Possible::zero || y == Possible::zero) return infinite ? Possible::nan : Possible::zero;
  const bool negative = is_negative(x) != is_negative(y);
  if (infinite) return negative ? Possible::minus_infinite : Possible::infinite;
  return Possible::zero | (negative ? Possible::negative : Possible::positive);
}

}  // namespace

/// over_members() of all sets, asked for where problems with NaN and infinities are judged, again and again. That of a
/// set is that of its lowest member, and of the others.
class Possible::Table {
 public:
  template <class Of>
  constexpr explicit Table(Of of) {
    for (unsigned a = 1; a < sets; ++a)
      for (unsigned b = 1; b < sets; ++b) {
        const unsigned x = a & (~a + 1), y = b & (~b + 1);
        if (a != x)
          at(a, b) = at(x, b) | at(a - x, b);
        else if (b != y)
          at(a, b) = at(a, y) | at(a, b - y);
        else
          at(a, b) = static_cast<unsigned char>(of(Possible(a), Possible(b)).kinds_);
      }
  }
  Possible operator()(Possible a, Possible b) const { return Possible(kinds_[a.kinds_ * sets + b.kinds_]); }

 private:
  constexpr unsigned char& at(unsigned a, unsigned b) { return kinds_[a * sets + b]; }

  static constexpr unsigned sets = 64;
  unsigned char kinds_[sets * sets] = {};
};

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

Possible operator+(Possible a, Possible b) {
  static constexpr Possible::Table sums(sum);
  return sums(a, b);
}

Possible operator*(Possible a, Possible b) {
  static constexpr Possible::Table products(product);
  return products(a, b);
}

}  // namespace attestone
