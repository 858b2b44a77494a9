// SPDX-License-Identifier: Apache-2.0
// The gain of a tensor, or of a part of one: what share of the truth an answer reproduces (docs/tolerance.md, "Gain").
#pragma once

#include <span>
#include <vector>

#include "reference/error_bound/windows.hpp"

namespace attestone {

/// The largest effects of roundings on <answer, direction>. The direction is the truth, or what a part of a tensor has
/// of it and 0 elsewhere; or anything else along which errors are added up.
struct GainTerms {
  /// The casts of the weights, each with the exponent of its weight; one list for every order in which a kernel may
  /// have met the keys, the first for a single maximum.
  std::vector<std::vector<Rounded>> casts;
  std::vector<Rounded> outputs;  ///< the roundings of the answer, each with the logarithm of its size
  double others = 0;             ///< everything else, all at its worst
  /// The share of `casts` and `outputs` from rows in which one key has nearly all the weight: their numbers lie beside
  /// those of the format, always on the same side, and rounding need not have mean 0.
  double beside_grid = 0;
  double cast_roundoff = 0, output_roundoff = 0;
};

/// A row lies beside the grid if what is left to all but its heaviest key is at most so many roundoffs.
inline constexpr double generic_from = 16;

/// Takes roundings at their worst that need not go to the nearest number: those whose roundoff is no format's, as that
/// of a store which truncates.
void leave_what_truncates(GainTerms&);

/// True if some floating format that needs no scales has this unit roundoff; that of bf16, f16 or f32 cut off is twice
/// as large, and no format's.
bool rounds_to_nearest(double roundoff);

/// A gain as a sample of errors: its distance from 1 is a number within `systematic` of 0, and one of mean 0 that is
/// sub-Gaussian with this variance, by Hoeffding's lemma for what different windows of a rounding add. A rounding has
/// a mean of its own, of at most u times its largest error, where the density of what is rounded changes within a cell.
struct GainDeviation {
  double error = 0, systematic = 0, variance = 0;
};

/// Sums over the rows of one tensor, for the gain G = <answer, truth> / <truth, truth> and the bound on |G - 1|.
///
/// Rows share keys and values, so their roundings are not independent: casts of nearly equal weights, and roundings of
/// nearly equal answers, are added at their worst, whichever rows they belong to; only different cells add in
/// quadrature. All else is added at its worst.
class Gain {
 public:
  void add(std::span<const double> truth, std::span<const double> answer, GainTerms);
  /// Adds the terms along another direction, in units of sum |truth| |direction|.
  void add(std::span<const double> truth, std::span<const double> answer, std::span<const double> direction, GainTerms);

  /// True if anything but zeros was added; without it there is no gain.
  bool says_anything() const { return size_ > 0; }
  double gain() const { return 1 + error_ / size_; }
  /// |G - 1| of a conforming answer.
  double bound() const;
  /// True if at_least <= bound() < below: told without sorting where sums and squares of the errors tell it.
  bool bound_lies_in(double at_least, double below) const;
  GainDeviation deviation() const;

 private:
  /// All casts of one order, and all roundings of the answer.
  std::vector<Rounded> casts(std::size_t order) const;
  std::vector<Rounded> outputs() const;
  double bound_here() const;
  std::size_t orders() const;

  double error_ = 0, size_ = 0, others_ = 0, beside_grid_ = 0, cast_roundoff_ = 0, output_roundoff_ = 0;
  std::vector<GainTerms> rows_;
};

}  // namespace attestone
