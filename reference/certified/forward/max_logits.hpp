// SPDX-License-Identifier: Apache-2.0
// The largest score of each row, certified (docs/certified.md, "The largest score").
#pragma once

#include "reference/certified/forward/truth.hpp"
#include "reference/certified/forward/visibility.hpp"

namespace attestone {

/// Writes max_logits of every row of one sequence, and adds to the decisions. `visibility` is that of the truth's
/// queries. Of visible keys alone: a sink is none. A row without keys, or all of whose scores are -infinity, has
/// -infinity; one with a score that may be NaN is left open.
void certify_max_logits(const Problem&, const Inputs&, index batch, const Visibility&, bool parallel, Truth&);

}  // namespace attestone
