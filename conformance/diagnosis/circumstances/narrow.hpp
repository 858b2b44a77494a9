// SPDX-License-Identifier: Apache-2.0
// Which condition on an extent decides between failing and passing: asked in as few calls as tell conditions apart.
#pragma once

#include <optional>

#include "conformance/diagnosis/circumstances/conditions.hpp"
#include "conformance/diagnosis/circumstances/inquiry.hpp"

namespace attestone::inline conformance {

/// A problem that fails, from three sides.
struct FailingProblem {
  Problem base;
  Problem moved;  ///< fails as well, with all extents a little other, as far as they may be
  Problem least;  ///< that fails
};

/// The simplest condition that every answer around the base agrees with, after calls that tell it from the others, and
/// that predicts two answers around the moved problem: a value at which it holds fails, one at which it does not
/// passes. Nothing if there is none, or the extent does not matter.
std::optional<Condition> narrowed(Inquiry&, const Variable&, const FailingProblem&);

}  // namespace attestone::inline conformance
