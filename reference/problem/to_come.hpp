// SPDX-License-Identifier: Apache-2.0
// Choices that the grammar has before there is a truth for them: they are read and printed, and refused before anything
// runs, so that no verdict is about another problem than the one that was meant.
#pragma once

#include "reference/problem/problem.hpp"

namespace attestone {

/// A layout that problems can name, and no tensor can have yet.
struct LayoutToCome {
  std::string_view name, summary, arguments;
  int argument_count;
};
std::span<const LayoutToCome> layouts_to_come();

/// UserError, which points at it, for the first field of the problem that is not judged yet.
void check_judged(const Problem&);

}  // namespace attestone
