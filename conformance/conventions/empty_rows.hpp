// SPDX-License-Identifier: Apache-2.0
// The answers and gradients of a row that sees no key, by convention.
#pragma once

#include "reference/call/visible_pairs.hpp"
#include "reference/certified/backward/gradient_truth.hpp"
#include "reference/certified/forward/truth.hpp"
#include "reference/problem/conventions.hpp"

namespace attestone::inline conformance {

/// True if there may be rows without keys that kernels of these conventions treat otherwise than the rules do.
bool may_differ_in_empty_rows(const Conventions&, const Problem&);

/// True if the convention is about this row: it sees no key and no sink. A sink of -infinity is none. A row that is
/// `undefined` is so with a sink, too.
bool is_conventional(EmptyRows, const Inputs&, const VisiblePairs&, index batch, index head, index query);

/// The numbers that O, in every channel, and log_sum_exp and max_logits may hold in a row that the convention is about;
/// empty where that does not follow from the convention alone. `zero_too`: there are no keys at all, or a sink of
/// -infinity.
struct EmptyRowAnswers {
  std::vector<double> out, of_row;
};
EmptyRowAnswers empty_row_answers(EmptyRows, bool zero_too);
/// True if 0 is right in this row as well.
bool may_be_zero_too(const Inputs&, index batch);

/// Answers, where the convention is not that of the rules:
///
///     nan        O is NaN, and log_sum_exp and max_logits -infinity or NaN; where there are no keys at all, or there
///                is a sink of -infinity, O may be 0 as well
///     mean       all are left open here: the property empty_rows compares O with the mean
///     undefined  all are left open
///
/// Also in rows that a ragged layout does not store: relations hold packed answers against the same truth.
void follow_in_empty_rows(Truth&, EmptyRows, const Problem&, const Inputs&, const VisiblePairs&);

/// Gradients. NaN in a row of P or O makes NaN of its row of dQ and dBias, and of all of dK and dV of its kv head:
///
///     nan        each of these may be NaN, else it is what the rules say
///     mean       all of them are left open: whether a mask that is a large negative number passes gradients on is
///                another convention
///     undefined  the row of dQ is left open; the others may be NaN, else they are what the rules say
void follow_in_empty_rows(GradientTruth&, EmptyRows, const Problem&, const Inputs&, const VisiblePairs&);

}  // namespace attestone::inline conformance
