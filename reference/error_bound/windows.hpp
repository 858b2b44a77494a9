// SPDX-License-Identifier: Apache-2.0
// When rounding errors may be added like independent ones, and when not: quadrature over windows of near-equal
// quantities (docs/tolerance.md, "Windows").
#pragma once

#include <vector>

#include "reference/tensor/floating_point_environment.hpp"

namespace attestone {

/// The one confidence of every probabilistic bound: a term exceeds it with probability below 2 exp(-81/2).
inline constexpr double lambda = 9;
/// A cell of one rounding meets at most lambda^2 windows: this many, and one that sticks out.
inline constexpr double windows_per_cell = lambda * lambda - 1;

/// A number that gets rounded, and the largest effect of that rounding.
struct Rounded {
  double quantity;
  double error;
};

/// lambda (sum_w (sum_{j in w} e_j)^2)^(1/2): windows w of the sorted quantities, none wider than `width`. At least
/// the sum over any quantities within windows_per_cell * width of each other.
double windowed_quadrature(std::vector<Rounded> errors, double width);

/// That, or the sum of the errors, which is given, where it is less: always so for lambda^2 errors or fewer, by Cauchy
/// and Schwarz.
double windowed_sum(double sum, std::vector<Rounded> errors, double width);

/// Sums numbers that err by no more than their own size, and by no more than `largest_error`.
double windowed_sum(double sum, std::vector<double> numbers, double largest_error, double width);

}  // namespace attestone
