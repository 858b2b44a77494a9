// SPDX-License-Identifier: Apache-2.0
// Gradients in MPFR intervals, for elements that double arithmetic left open.
#pragma once

#include <span>

#include "reference/certified/backward/gradient_truth.hpp"

namespace attestone {

/// Recomputes the undecided elements of a truth from all of these query rows, with rising precision, and counts what
/// became decided. Elements that a NaN or an infinity reaches stay as they are. By one thread, and slow: every row is
/// evaluated as soon as one element of a key is open.
void decide_gradients_in_mpfr(const Problem&, const Inputs&, std::span<const index> queries, GradientTruth&);

}  // namespace attestone
