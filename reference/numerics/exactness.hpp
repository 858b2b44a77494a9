// SPDX-License-Identifier: Apache-2.0
// The results that declared arithmetic leaves exact, where the softmax itself makes no error.
#pragma once

#include "reference/numerics/numerics.hpp"

namespace attestone {

/// True if the mean over `keys` tied keys is exact before it is rounded to the output format. All scores are 0, `keys`
/// is a power of two, and V holds integers of at most `largest_integer`, times one power of two.
bool keeps_ties_exact(const Numerics&, index keys, index largest_integer);

/// Roundings of a sum that is divided and multiplied again: l times e^(m - m'), o times that, a reciprocal, a product;
/// one more where the quotient of both denominators is made first.
inline constexpr double renormalisation_roundings = 5;

/// How often the sum of a row is divided and multiplied again before its last division, at most: of a row of so many
/// keys, hidden ones and a sink included.
index renormalisations(const Numerics&, index keys);

/// True if K and V are used as they are given: no row is rounded before.
bool reads_what_is_given(const Numerics&);

/// A key that takes all the weight of its row.
struct Winner {
  double score = 0;          ///< the size of its score is at most this; where it is 0, its weight is 1 or next to it
  double lead = 0;           ///< how far every other score is behind, at least
  index channels = 0;        ///< products that its score is the sum of
  index keys = 1;            ///< of the row's sequence
  double largest_value = 0;  ///< no element of V is larger
};

/// How far the answer may be from the winner's element of V before it is rounded to the output format. Where K is
/// rounded before, score and lead are those that are left.
struct WinnerError {
  double relative = 0, absolute = 0;
  double of_largest = 0;  ///< of the largest element in its row of V
};
WinnerError winner_error(const Numerics&, const Winner&);

}  // namespace attestone
