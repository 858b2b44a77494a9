// SPDX-License-Identifier: Apache-2.0
// Conditions on an extent by which kernels are known to go wrong.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conformance/diagnosis/circumstances/variables.hpp"

namespace attestone::inline conformance {

/// A condition on one variable of a problem.
struct Condition {
  enum class Form {
    none,               ///< every number
    above,              ///< > number
    at_most,            ///< <= number
    no_multiple,        ///< no multiple of number
    above_no_multiple,  ///< > number and no multiple of it
    odd_tiles,          ///< an odd number of tiles of so many, but not one
    no_power_of_two,
    more_than_other,  ///< than another extent
    less_than_other,
    unlike_other,
    like_other,
  };

  const Variable* variable;
  Form form = Form::none;
  index number = 0;
  const Variable* other = nullptr;

  bool holds(const Problem&) const;
  /// The number beside which it begins or ceases to hold, or that of the problem itself where there are many.
  index boundary(const Problem&) const;
  /// "keys are no multiple of 32", "value_dim > dim".
  std::string text() const;
};

/// The conditions on the variable that hold of both problems, the simplest first; the absence of any comes first.
std::vector<Condition> conditions_on(const Variable&, const Problem& base, const Problem& least);

/// Values of the variable at which such conditions differ: problems like `base`, the nearest first.
std::vector<Problem> problems_around(const Variable&, const Problem& base, const Problem& least);

/// The variable with which this one is compared; null for most.
const Variable* compared_with(const Variable&);

}  // namespace attestone::inline conformance
