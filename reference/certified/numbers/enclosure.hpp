// SPDX-License-Identifier: Apache-2.0
// Enclosures of real numbers, and whether all that they hold rounds to one number of a format.
#pragma once

#include <optional>

#include "reference/certified/numbers/certified.hpp"
#include "reference/dtypes/dtype.hpp"

namespace attestone {

/// A real number known to lie in [high + low - bound, high + low + bound].
struct Enclosure {
  double high = 0;
  double low = 0;  ///< high is the double nearest to high + low
  double bound = 0;
};

/// The number of the format that every number of the enclosure rounds to (nearest even), if there is just one.
///
/// Rounding is monotone, so this is the case exactly if both ends round alike: binade edges, subnormals and overflow
/// need no thought of their own.
std::optional<double> decide(const Enclosure&, const DType&);

/// value and bound, or nothing known at all if either is not finite, or a bound is negative: what comes of scores that
/// double arithmetic cannot hold.
Enclosure enclosed(double value, double bound);

/// The certified number that an enclosure tells: value, bound, and the rounding if it is decided.
Certified certified(const Enclosure&, const DType&);

/// Certifies a value and a bound that decide_quickly has looked at: `rounded` is its finding, or NaN.
inline Certified certified(double value, double bound, double rounded, const DType& dtype) {
  if (rounded == rounded) return {value, bound, rounded, true};
  return certified(enclosed(value, bound), dtype);
}

/// A number that is known exactly.
Certified certified_exactly(double value, const DType&);

/// A double that rounds to every format of at most 51 bits as the real number high + low does: high + low itself if it
/// is a double, else the neighbour with an odd significand ("rounding to odd", Boldo and Melquiond 2008).
double rounded_to_odd(double high, double low);

}  // namespace attestone
