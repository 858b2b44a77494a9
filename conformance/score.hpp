// SPDX-License-Identifier: Apache-2.0
// The score: which planted bugs each judge catches, ours and the acceptance rules of other projects.
#pragma once

#include <string>
#include <vector>

#include "conformance/judges/judge.hpp"
#include "conformance/mutants/mutant.hpp"
#include "conformance/verdict.hpp"

namespace attestone {

/// Whether one rule lets a mutant through.
struct LetThrough {
  const Judge* judge;
  bool on_usual_inputs;  ///< normal inputs of a usual shape, full and causal, in f16 and bf16
  bool on_its_problem;   ///< normal inputs of the very problem that shows the fault
};

/// Who convicts a mutant, and who lets it through.
struct MutantScore {
  const Mutant* mutant;
  Verdict by_its_property;         ///< what the property that it names says on its own problem
  Verdict twin;                    ///< what the same property says of the correct twin there
  std::vector<LetThrough> judges;  ///< of a mutant of the forward pass: these rules look at O

  /// By the property and for the reason that the mutant names.
  bool convicted() const {
    return by_its_property.outcome == Outcome::failed && by_its_property.reason == mutant->reason;
  }
};

/// One row for every mutant.
std::vector<MutantScore> score_mutants();

}  // namespace attestone
