// SPDX-License-Identifier: Apache-2.0
// The rows of a trial, answered in other calls, and compared bit by bit.
#pragma once

#include "conformance/properties/metamorphic/schedule.hpp"

namespace attestone::inline conformance {

/// The answers of a kernel in a call of rows of a trial.
struct RowAnswers {
  ScheduledCall call;
  Outputs outputs;
  std::optional<Gradients> gradients;  ///< where the problem asks for them, and the kernel repeats them
};

/// Runs the kernel on the call, with the inputs of the trial.
RowAnswers row_answers(Trial&, const ScheduledCall&);

/// The first element of a row whose bits are not those in the trial's own call, in words; empty if there is none.
std::string first_difference(const RowAnswers& own, const RowAnswers& other);

}  // namespace attestone::inline conformance
