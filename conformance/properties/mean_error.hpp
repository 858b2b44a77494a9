// SPDX-License-Identifier: Apache-2.0
// A test if errors lean one way.
#pragma once

#include <functional>
#include <string>

#include "reference/numerics/numerics.hpp"
#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// The rest of an arithmetic without its roundings to nearest into narrower formats: those err either way, and on
/// generic numbers as often up as down. Truncation, elementary functions and underflow may lean.
Numerics leaning_part(const Numerics&);

/// The error of at most `leaning` after O is rounded to its format: itself, and a unit in the last place
/// more where the truth is so near to a tie that it decides the rounding.
double leaning_when_rounded(const DType& output, double truth, double leaning);

/// An error, what bounds it, and what bounds the part of it that may lean.
struct BoundedError {
  double error = 0, bound = 0, leaning = 0;

  BoundedError& operator+=(const BoundedError&);
};

/// A sum of independent errors. Of each it is known that |error| <= bound, and that it is the sum of a number of mean 0
/// and of one that is at most `leaning`. By W. Hoeffding, "Probability inequalities for sums of bounded random
/// variables" (J. Am. Stat. Assoc. 58, 1963), Theorem 2,
///
///     |sum error| > sum leaning + sqrt(2 ln(2 / alpha) sum bound^2)
///
/// has a probability of at most alpha.
class MeanError {
 public:
  static constexpr double alpha = 1e-9;

  void add(const BoundedError&);

  bool is_biased() const;
  /// "2560 errors have a mean of -0.0123; more than 0.0045 has a probability below 1e-09"
  std::string told() const;

 private:
  double allowed() const;

  index count_ = 0;
  double sum_ = 0, leaning_ = 0, squares_ = 0;
};

/// Why the mean of errors says nothing; empty if it does. It does for plain attention over the fill tied_maxima with
/// many matrices V, in 16 bits or fewer.
std::string without_mean_error(const Problem&);

/// Adds up row(batch, head, query) for each V: errors of rows with the same V are not independent, and count as one.
MeanError mean_error(const Shape&, const std::function<BoundedError(index, index, index)>& row);

}  // namespace attestone::inline conformance
