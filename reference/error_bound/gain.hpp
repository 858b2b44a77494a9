// SPDX-License-Identifier: Apache-2.0
// The gain of a tensor: what share of the truth an answer reproduces on the whole (docs/tolerance.md, "Gain").
#pragma once

#include <span>
#include <vector>

#include "reference/error_bound/windows.hpp"

namespace attestone {

/// The largest effects of one row's roundings on <answer, truth>.
struct GainTerms {
  /// The casts of the weights, each with the exponent of its weight; one list for every order in which a kernel may
  /// have met the keys, the first for a single maximum.
  std::vector<std::vector<Rounded>> casts;
  std::vector<Rounded> outputs;  ///< the roundings of the answer, each with the logarithm of its size
  double others = 0;             ///< everything else, all at its worst
  double cast_roundoff = 0, output_roundoff = 0;
};

/// Sums over the rows of one tensor, for the gain G = <answer, truth> / <truth, truth> and the bound on |G - 1|.
///
/// Rows share keys and values, so their roundings are not independent: casts of nearly equal weights, and roundings of
/// nearly equal answers, are added at their worst, whichever rows they belong to; only different cells add in
/// quadrature. All else is added at its worst.
class Gain {
 public:
  void add(std::span<const double> truth, std::span<const double> answer, GainTerms);

  /// Whether anything but zeros was added; without it there is no gain.
  bool says_anything() const { return size_ > 0; }
  double gain() const { return agreement_ / size_; }
  /// |G - 1| of a conforming answer.
  double bound() const;
  /// Whether at_least <= bound() < below: told without sorting where sums and squares of the errors tell it.
  bool bound_lies_in(double at_least, double below) const;

 private:
  double bound_here() const;
  std::size_t orders() const;

  double agreement_ = 0, size_ = 0;
  std::vector<GainTerms> rows_;
};

}  // namespace attestone
