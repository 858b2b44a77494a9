// SPDX-License-Identifier: Apache-2.0
// The answer of a timed call, held to its bounds: a kernel that computes nothing is fast.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "backends/kernel.hpp"

namespace attestone::inline conformance {

/// Rows of Q in which a turn gets inputs of its own, so that no answer of an earlier one is right there; likewise one
/// row of V. The same rows are judged.
class ChangedRows {
 public:
  ChangedRows(const Problem&, std::mt19937_64&);
  /// Gives the rows other signs.
  void change(Inputs&, std::mt19937_64&) const;
  const std::vector<index>& queries() const { return queries_; }

 private:
  std::vector<index> queries_;
  index key_ = 0;
};

/// The mistake in O and log_sum_exp in these rows, or in the gradients, which are held to their bounds whole; empty if
/// there is none.
std::string wrong_answer(const Kernel&, const Problem&, const Inputs&, const Outputs&,
                         const std::vector<index>& queries);
std::string wrong_gradients(const Kernel&, const Problem&, const Inputs&, const Gradients&);

/// True if judging a call of this problem takes seconds at most.
bool can_be_judged(const Problem&);

}  // namespace attestone::inline conformance
