// SPDX-License-Identifier: Apache-2.0
// The kill matrix: which planted bugs each judge catches, ours and the acceptance rules of other projects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/rival_rules/rules/judge.hpp"
#include "conformance/verdict/verdict.hpp"
#include "mutants/mutant.hpp"

namespace attestone::inline conformance {

/// The ruling of a rule on a wrong kernel.
enum class Ruling {
  let_through,
  convicted,            ///< and its correct twin is accepted on the same problem
  convicted_with_twin,  ///< by a rule that convicts the correct twin as well: no merit
};

/// "let through", "convicted", "convicted with its twin".
std::string_view text(Ruling);

/// The ruling of one rule on one mutant.
struct Conviction {
  Ruling on_usual_inputs = Ruling::let_through;  ///< the best of the problems that its project tests
  Ruling on_its_problem = Ruling::let_through;   ///< on the very problem that shows the fault

  bool convicted() const { return on_usual_inputs == Ruling::convicted || on_its_problem == Ruling::convicted; }
};

/// A mutant, and who convicts it.
struct MutantRow {
  const Mutant* mutant;
  Verdict by_its_property;                   ///< what the property that it names says on its own problem
  Verdict twin;                              ///< what the same property says of the correct twin there
  std::vector<Conviction> convictions = {};  ///< by the judges of the matrix
  bool by_suite = false;                     ///< the suite of the matrix alone convicts it

  /// By the property and for the reason that the mutant names.
  bool convicted() const {
    return by_its_property.outcome == Outcome::failed && by_its_property.reason == mutant->reason;
  }
};

/// How often a judge was asked about correct kernels, and how often it convicted.
struct FalseAlarms {
  index cases = 0, alarms = 0;
  std::string first = {};  ///< the problem of the first alarm

  void add(bool convicted, const std::string& problem);
  FalseAlarms& operator+=(const FalseAlarms&);
};

/// A correct kernel, and who convicts it.
struct CorrectRow {
  std::string kernel;
  FalseAlarms ours;  ///< every property that a mutant names, on the problem of that mutant, in f32, f16 and bf16
  std::vector<FalseAlarms> on_usual_inputs = {};  ///< by the judges of the matrix
  std::vector<FalseAlarms> on_problems = {};      ///< on the problems of the mutants, in f32, f16 and bf16
  FalseAlarms by_suite = {};                      ///< every property on the problems of the suite
};

/// The totals of one judge.
struct JudgeColumn {
  const Judge* judge;
  index kills_on_usual_inputs, kills;  ///< mutants convicted there, and there or on the problem that shows the fault
  FalseAlarms on_usual_inputs, on_problems;
};

/// Mutants and correct kernels before judges.
struct KillMatrix {
  std::vector<const Judge*> judges;
  std::vector<MutantRow> mutants;
  std::vector<CorrectRow> correct;
  std::string suite = {};  ///< whose power was asked for; empty if none's

  /// The column of each judge, added up.
  std::vector<JudgeColumn> by_judge() const;
  /// How many mutants are convicted by the property that they name.
  index our_kills() const;
  FalseAlarms our_alarms() const;
  /// How many mutants the suite convicts with nobody to choose the problem or the property.
  index suite_kills() const;
  FalseAlarms suite_alarms() const;
  /// True if we convict every mutant, and acquit its twin and every correct kernel.
  bool flawless() const;
};

/// Which judges and mutants take part; all of them where the list is empty. And a suite, if it is tried as a judge too.
struct MatrixOptions {
  std::vector<const Judge*> judges = {};
  std::vector<const Mutant*> mutants = {};
  std::string suite = {};  ///< its name or path, for reports; empty: none
  std::vector<Problem> suite_problems = {};
};

/// Mutants before the property that they name; without judges and correct kernels.
std::vector<MutantRow> mutant_rows(const MatrixOptions& = {});

/// Mutants and every correct kernel before judges. UserError if a problem of the suite cannot be filled.
KillMatrix kill_matrix(const MatrixOptions& = {});

}  // namespace attestone::inline conformance
