// SPDX-License-Identifier: Apache-2.0
// How roundings compound: the constants of docs/tolerance.md, "Constants".
#pragma once

#include <cmath>
#include <limits>

#include "reference/numerics/stage.hpp"
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// gamma_n(u) = nu / (1 - nu): n factors (1 + d), |d| <= u, or their inverses, lie within 1 +- gamma_n (Higham 2002,
/// lemma 3.1). Infinite where the lemma says nothing.
inline double gamma(double n, double u) { return n * u < 1 ? n * u / (1 - n * u) : infinity; }

/// Roundings in a sum of n addends. Units that truncate add blocks of at least four products to their accumulator: in
/// each block every addend, the accumulator and the normalised result are cut, b + 2 roundings for b addends.
inline double roundings_of_sum(double addends, bool truncates) { return truncates ? 1.5 * addends : addends; }

/// Where numbers begin that a cast rounds by its roundoff alone. Whoever declares an underflow that is larger than the
/// smallest normal number has said nothing of that: it is at least what underflow and roundoff make of it.
inline double normal_from(const Cast& cast) {
  const bool says_it = cast.underflow <= cast.smallest_normal || cast.roundoff == 0;
  return says_it ? cast.smallest_normal : cast.underflow / cast.roundoff;
}

/// Relative error of a number multiplied by 1 / (1 - rate), from a rate that is rounded too: difference, reciprocal,
/// its product with another factor, the product.
inline double dropout_error(double rate, double u) {
  if (rate == 0) return 0;
  const double of_rate = u * rate / (1 - rate);
  return of_rate < 1 ? (1 + gamma(4, u)) / (1 - of_rate) - 1 : infinity;
}

/// The mean of the errors of a truncating rounding, per unit of the number rounded: half the distance that it spans.
inline double mean_of_truncation(const Accumulator& accumulator) {
  return accumulator.truncates ? accumulator.roundoff / 2 : 0;
}

}  // namespace attestone
