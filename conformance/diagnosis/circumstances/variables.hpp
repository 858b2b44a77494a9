// SPDX-License-Identifier: Apache-2.0
// The extents of a problem, one of which is varied at a time.
#pragma once

#include <span>
#include <string_view>

#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// An extent, or a ratio of extents.
struct Variable {
  std::string_view name;  ///< "keys"
  std::string_view are;   ///< "are" of keys, "is" of dim
  bool is_long;           ///< rows and channels are many; heads and sequences few
  index (*of)(const Shape&);
  /// Makes it another number, and changes of all others only what depends on it.
  void (*set)(Problem&, index);
  /// True if this variable tells problems apart whose least failing one has this shape.
  bool (*matters)(const Shape& least);
  bool is_of_channels = false;
  bool has_lengths = false;  ///< sequences may be shorter, or each has its own
};

std::span<const Variable> variables();

/// The problem with another value of the variable.
Problem with(Problem, const Variable&, index value);

}  // namespace attestone::inline conformance
