// SPDX-License-Identifier: Apache-2.0
// Rows that see NaN or infinities, after docs/rules.md, rule 5: what the answer is, and where several are accepted.
#pragma once

#include "reference/certified/forward/row_task.hpp"

namespace attestone {

/// Answers every element of the row that depends on a visible NaN or infinity, and returns what is left open: nothing
/// unless all scores are finite. What is possible in some admissible order of evaluation is what PossibleRow says:
///
///   a score NaN                      out and log_sum_exp are NaN; a sink is a score, too
///   a score +inf                     out is NaN; log_sum_exp NaN or +inf; a sink of +inf may leave out 0
///   all scores -inf                  out NaN or 0; log_sum_exp -inf or NaN
///   a score -inf, others finite      the key weighs nothing; or NaN, where a running maximum met it first
///   v NaN                            NaN; if the weight may be 0, the answer without the key as well
///   v infinite                       that infinity, NaN if both occur; if the weight may be 0, also NaN and the answer
///                                    without the key
///   v NaN or infinite, pair dropped  the answer without this pair, or NaN
///   every pair dropped               where NaN is the answer above, 0 as well
///
/// With a softcap an infinite q.k is a finite score.
OpenElements answer_special_row(const RowTask&, const Inputs&, OpenElements open, const RowAnswer&, Decisions&);

}  // namespace attestone
