// SPDX-License-Identifier: Apache-2.0
// The score: which planted bugs each judge catches, ours and the acceptance rules of other projects.
#pragma once

#include <string>
#include <vector>

#include "conformance/judges/judge.hpp"
#include "conformance/mutants/mutant.hpp"
#include "conformance/verdict.hpp"

namespace attestone {

/// What one rule says of one mutant.
struct Conviction {
  bool on_usual_inputs = false;  ///< on any of the problems that its project tests
  bool on_its_problem = false;   ///< on the very problem that shows the fault

  bool convicted() const { return on_usual_inputs || on_its_problem; }
};

/// A mutant, and who convicts it.
struct MutantScore {
  const Mutant* mutant;
  Verdict by_its_property;                   ///< what the property that it names says on its own problem
  Verdict twin;                              ///< what the same property says of the correct twin there
  std::vector<Conviction> convictions = {};  ///< by the judges of the score

  /// By the property and for the reason that the mutant names.
  bool convicted() const {
    return by_its_property.outcome == Outcome::failed && by_its_property.reason == mutant->reason;
  }
};

/// How often a judge was asked about a correct kernel, and how often it convicted.
struct FalseAlarms {
  index cases = 0, alarms = 0;
  std::string first = {};  ///< the problem of the first alarm

  void add(bool convicted, const std::string& problem);
};

/// A correct kernel, and who convicts it.
struct CorrectScore {
  std::string kernel;
  FalseAlarms ours;  ///< every property that convicts a mutant, on the problem of that mutant, in f32, f16 and bf16
  std::vector<FalseAlarms> on_usual_inputs = {};  ///< by the judges of the score
  std::vector<FalseAlarms> on_problems = {};      ///< on the problems of the mutants, in f32, f16 and bf16
};

/// The kill matrix, and the false alarms beside it.
struct KillMatrix {
  std::vector<const Judge*> judges;
  std::vector<MutantScore> mutants;
  std::vector<CorrectScore> correct;

  /// How many mutants the judge of this place convicts on its usual inputs, and with those of the mutants.
  index kills(std::size_t judge) const;
  index kills_on_usual_inputs(std::size_t judge) const;
  /// How many mutants are convicted by the property that they name.
  index our_kills() const;
  FalseAlarms our_alarms() const;
  FalseAlarms alarms_on_usual_inputs(std::size_t judge) const;
  FalseAlarms alarms_on_problems(std::size_t judge) const;
  /// Whether we convict every mutant, and acquit its twin and every correct kernel.
  bool flawless() const;
};

/// Every mutant before the property that it names; without judges and correct kernels.
std::vector<MutantScore> score_mutants();

/// Every mutant and every correct kernel before every judge.
KillMatrix kill_matrix();

}  // namespace attestone
