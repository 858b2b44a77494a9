// SPDX-License-Identifier: Apache-2.0
// The last resort for elements that stay undecided: MPFR with rising precision, and proofs of exact ties.
#pragma once

#include "reference/certified/forward/row_task.hpp"

namespace attestone {

/// Decides the open elements of one row, or leaves them undecided with the best bound found; counts what it did.
void decide_in_mpfr(const RowTask&, const OpenElements&, const RowAnswer&, Decisions&);

}  // namespace attestone
