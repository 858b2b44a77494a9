// SPDX-License-Identifier: Apache-2.0
// The courtroom: everything that judges are shown of a mutant, worked out before any kernel runs.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "conformance/rival_rules/judged_case.hpp"
#include "conformance/rival_rules/kill_matrix.hpp"

namespace attestone::inline conformance {

/// The mutant's problem first; if it is f32, the same in f16 and bf16.
std::vector<Problem> in_every_format(const Mutant&);

/// Judges with their usual inputs, and the problems of mutants. Once made it is only read, by any number of threads.
class Courtroom {
 public:
  Courtroom(std::vector<const Judge*>, const std::vector<const Mutant*>&);

  /// The ruling of each judge on a mutant.
  std::vector<Conviction> rule_on(const Mutant&) const;
  /// How often each judge convicts a correct kernel.
  CorrectRow rule_on(const Kernel& correct) const;

 private:
  using Case = std::unique_ptr<JudgedCase>;
  using Accepted = std::vector<bool>;  // by case or by judge

  /// The rulings on one correct twin.
  struct TwinRulings {
    std::vector<Accepted> usual;          // by judge and case
    std::map<std::string, Accepted> own;  // by problem and judge
  };

  const TwinRulings& twin_of(const Mutant& mutant) const { return twins_.at(mutant.twin()->name()); }
  void hear(const Kernel& twin);
  Ruling on_usual_inputs(std::size_t judge, const Kernel&, const TwinRulings&) const;

  std::vector<const Judge*> judges_;
  std::vector<std::vector<Case>> usual_;  // by judge
  std::map<std::string, Case> own_;       // by the text of the problem
  std::map<std::string, TwinRulings> twins_;
};

}  // namespace attestone::inline conformance
