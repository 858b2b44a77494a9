// SPDX-License-Identifier: Apache-2.0
// One element of a gradient: a sum over pairs of what a kernel knows up to an error, times what it knows exactly.
#pragma once

#include <span>
#include <vector>

#include "reference/error_bound/gradient/element_bounds.hpp"
#include "reference/numerics/numerics.hpp"

namespace attestone {

/// The numbers of some pairs that a kernel multiplies with rows of Q, K or dO, in ascending order of `quantity`.
struct GradientAddends {
  std::vector<double> value;
  std::vector<double> error;     ///< but for that of a cast
  std::vector<double> probable;  ///< the same at lambda = 9
  std::vector<double> cast;      ///< the error of rounding to a narrow format
  std::vector<double> lost;      ///< the error of leaving that format's normal range
  std::vector<double> largest;   ///< no kernel's is larger
  std::vector<double> quantity;  ///< the logarithm of what is rounded
  double cast_roundoff = 0;

  void reserve(std::size_t);
  /// Puts all lists into the order of `quantity`; returns the places from which they were taken.
  std::vector<std::size_t> sort();
};

/// The sum, and how far a kernel's may be off before it rounds the result.
struct GradientSum {
  index addends = 0;
  double value = 0;
  double size = 0;     ///< no sum of absolute values in a kernel is larger, its own roundings apart
  double factors = 0;  ///< the same of the numbers alone which are multiplied with something else than 0
  double deterministic = 0, probabilistic = 0;
  double apart = 0;  ///< sum of the errors of rounding partial sums to the output format, where a kernel may do so

  void add(const GradientSum&);
};

/// sum_p addend_p x_p, x exact, one for each addend.
GradientSum gradient_sum(const GradientAddends&, std::span<const double> x);

/// The factor of a finished sum, and its roundings.
struct GradientFinish {
  const Numerics& numerics;
  double scale = 1;
  /// Roundings of operands before the product, where there is one.
  double operands = 0;
  /// The error of the scaled operand below the normal range of the format that it is rounded to before the product.
  double scaled_operand = 0;
  /// True for dK and dV, whose parts may be stored before others are added.
  bool in_parts = false;

  /// Rounds a partial sum to the output format, as kernels do that add heads of a group, or a broadcast bias, later.
  GradientSum rounded_apart(GradientSum) const;
  void store(const GradientSum&, ElementBounds&, index b, index h, index r, index c) const;

 private:
  double bound(const GradientSum&, double error) const;
  double relative(const GradientSum&) const;
  double underflow(const GradientSum&) const;
  double storage_of_parts(const GradientSum&) const;
};

}  // namespace attestone
