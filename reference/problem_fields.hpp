// SPDX-License-Identifier: Apache-2.0
// The fields of a problem's text: each one's name, how it is read, checked and printed, in one table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reference/problem.hpp"
#include "reference/scanner.hpp"

namespace attestone {

/// What is wrong with a field beside the others, and what to do about it; empty when nothing is.
struct Conflict {
  std::string message = {}, hint = {};
  bool empty() const { return message.empty(); }
};

/// One field, "name=value", of a problem's text.
struct ProblemField {
  FieldHelp help;
  /// Reads the value; the scanner ends where the value ends.
  void (*read)(Scanner&, Problem&);
  /// The value's text; empty when it is the default.
  std::string (*print)(const Problem&);
  /// Null when nothing can be wrong with it.
  Conflict (*conflict)(const Problem&) = nullptr;
};

/// In canonical order.
std::span<const ProblemField> problem_field_table();

/// Reads and prints the masks of the grammar (reference/mask_text.cpp) and the score terms (reference/score_text.cpp).
Mask read_mask(Scanner&);
Score read_score(Scanner&);

}  // namespace attestone
