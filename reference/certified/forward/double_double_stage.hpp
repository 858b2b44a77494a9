// SPDX-License-Identifier: Apache-2.0
// Deciding elements that double arithmetic left open, eight rows at a time.
#pragma once

#include <span>

#include "reference/certified/forward/row_task.hpp"

namespace attestone {

/// A row, what of it is open, and where the answers go.
struct WideRowWork {
  RowTask task;
  OpenElements* open;
  RowAnswer answer;
};

/// Decides what double-double can of at most eight rows of one kv head, and takes it from what is open.
void decide_in_double_double(std::span<const WideRowWork> rows, Decisions&);

}  // namespace attestone
