// SPDX-License-Identifier: Apache-2.0
// Rows that see NaN or infinities, after docs/rules.md, rule 5: what the answer is, and where several are accepted.
#pragma once

#include "reference/certified/row_task.hpp"

namespace attestone {

/// Answers every element of the row that depends on a visible NaN or infinity, and returns what is left open: nothing
/// unless all scores are finite.
///
///   a score NaN                      out and log_sum_exp are NaN; a sink is a score, too
///   a score +inf                     out is NaN; log_sum_exp NaN or +inf
///   all scores -inf                  out NaN or 0; log_sum_exp -inf or NaN
///   a score -inf, others finite      the key weighs nothing
///   v NaN                            NaN
///   v infinite                       that infinity, NaN if both occur; if the weight of such a key vanishes in the
///                                    input's format, also NaN and the answer without such keys
///   v NaN or infinite, pair dropped  the answer without this pair, or NaN
///   every pair dropped               where NaN is the answer above, 0 as well
///
/// With a softcap an infinite q.k is a finite score.
OpenElements answer_special_row(const RowTask&, const Inputs&, OpenElements open, const RowAnswer&, Decisions&);

}  // namespace attestone
