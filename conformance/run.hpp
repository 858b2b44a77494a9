// SPDX-License-Identifier: Apache-2.0
// A run: kernels judged on problems by properties, with everything that reports show.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/kernel.hpp"
#include "conformance/coverage.hpp"
#include "conformance/diagnosis/diagnose.hpp"
#include "conformance/property.hpp"
#include "conformance/verdict.hpp"

namespace attestone {

/// One property of one kernel on one problem.
struct Case {
  const Property* property;
  Problem problem;
  Verdict verdict;
};

/// A property that a kernel does not have, shown by the least problem that was found.
struct Failure {
  const Property* property;  ///< null when the whole run is at fault (required, never-conclusive)
  Verdict verdict;           ///< on the least problem
  Problem first, least;      ///< the problem that failed first, and what it shrank to
  index count = 1;           ///< how many cases of this property failed
};

using Counts = std::map<Outcome, index>;

/// Everything that came of one kernel.
struct KernelRun {
  std::string kernel;
  std::string option;  ///< how a command line asks for the kernel
  std::vector<Case> cases;
  std::vector<Failure> failures;
  Counts counts;
  std::map<std::string, Counts> by_property;
  std::vector<Finding> findings;            ///< wrong variants of attention that explain what failed
  std::vector<std::string> read_out;        ///< masks and scores of a kernel that failed, if they are wrong
  std::map<std::string, index> refusals;    ///< why the kernel refused, and how many problems
  std::map<Adjustment, index> adjustments;  ///< what the kernel changed of its settings, and for how many problems
  Coverage coverage;
  Times times;
  double seconds = 0;
  bool complete = true;  ///< false after Ctrl-C, when the budget was used up, or when a failure ended the run

  bool conforms() const { return failures.empty(); }
  bool ran() const { return counts.size() > (counts.count(Outcome::skipped) ? 1u : 0u); }
};

/// How far a run has come, before one of its cases.
struct RunProgress {
  std::string repro;  ///< the line that runs this case
  index problem, problems;
  const Counts& counts;  ///< of the cases so far
};

/// What a kernel is judged on, by what, and for how long.
struct RunOptions {
  std::vector<Problem> problems = {};
  std::vector<const Property*> properties = {};            ///< in this order; all of them if empty
  std::vector<std::string> required = {};                  ///< features that must be covered conclusively
  std::optional<double> budget_seconds = {};               ///< after which no further problem is begun
  bool fail_fast = false;                                  ///< the first failure ends the run
  bool explain = true;                                     ///< failures are shrunk and diagnosed
  std::function<void(const RunProgress&)> progress = {};   ///< called before each case; null for silence
  std::function<void(const Failure&)> first_failure = {};  ///< called at that of each property, before it is shrunk
  std::function<bool()> interrupted = {};                  ///< asked before each problem; null: never
};

/// Judges one kernel. Where no properties are chosen and problems are many, relations take turns: each is tried on one
/// in seven of the problems to which it applies. UserError if a problem cannot be filled.
KernelRun judge(const AnyKernel&, const RunOptions&);

/// One property on one problem; passed, failed, inconclusive, or skipped when refused or inapplicable.
Verdict judge_case(const AnyKernel&, const Property&, const Problem&);

/// How a command line asks for a kernel: "--kernel='flash'".
std::string option_of(const AnyKernel&);

/// The line that runs one case again, quoted for a shell; `option` asks for the kernel.
std::string repro_line(const std::string& option, const Property&, const Problem&);

/// The text as one word of a shell.
std::string quoted(const std::string& text);

}  // namespace attestone
