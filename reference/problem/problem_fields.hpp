// SPDX-License-Identifier: Apache-2.0
// The fields of a problem's text: each one's name, how it is read, checked and printed, in one table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reference/problem/problem.hpp"
#include "reference/scanner.hpp"

namespace attestone {

/// The conflict of a field with the others, and what to do about it; empty if there is none.
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
  /// The choices that are not judged yet (reference/problem/to_come.hpp); null: all are judged.
  Conflict (*to_come)(const Problem&) = nullptr;
};

/// In canonical order.
std::span<const ProblemField> problem_field_table();

/// The values that have a grammar of their own: reference/problem/mask_text.cpp, score_text.cpp, shape_text.cpp,
/// format_text.cpp and layout_text.cpp.
Mask read_mask(Scanner&);
Score read_score(Scanner&);
void read_shape(Scanner&, Problem&);
std::string print_shape(const Problem&);
std::vector<index> read_lengths(Scanner&);
std::string print_lengths(const std::vector<index>&);
void read_spare_rows(Scanner&, Problem&);
void read_formats(Scanner&, Problem&);
std::string print_formats(const Problem&);
void read_layouts(Scanner&, Problem&);
std::string print_layouts(const Problem&);

/// The conflicts of these fields with others.
Conflict shape_conflict(const Problem&);
Conflict key_lengths_conflict(const Problem&);
Conflict query_lengths_conflict(const Problem&);
Conflict spare_rows_conflict(const Problem&);
Conflict bias_conflict(const Problem&);
Conflict layout_conflict(const Problem&);

}  // namespace attestone
