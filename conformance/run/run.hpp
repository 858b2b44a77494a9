// SPDX-License-Identifier: Apache-2.0
// A run: a kernel judged on problems by properties.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/run/candidate.hpp"
#include "conformance/run/kernel_run.hpp"

namespace attestone::inline conformance {

class Ledger;

/// How far a run has come, before one of its cases.
struct RunProgress {
  std::string repro;  ///< the line that runs this case
  index problem, problems;
  const Counts& counts;  ///< of the cases so far
};

/// The problems of a run, its properties, and its time limits.
struct RunOptions {
  std::vector<Problem> problems = {};
  std::vector<const Property*> properties = {};  ///< in this order; all of them if empty
  std::vector<const Property*> excluded = {};    ///< not these, whatever else is chosen
  std::vector<std::string> required =
      {};  ///< features that must be covered conclusively, default_class, default_conventions
  /// The problems are a suite's: a property that they could have decided, and never did, fails the run. Problems typed
  /// by hand owe nothing of the kind.
  bool suite = false;
  std::string asked = {};  ///< how a command line asks for the problems: "--suite=ci"; empty if in no such way
  std::optional<double> budget_seconds = {};  ///< after which nothing more is begun, nor shrunk
  /// So many problems are judged at the same time, of kernels in this process that may be called so; the report is the
  /// same for any number. What is called meanwhile, of what stands below, is called by any of the threads.
  int threads = 1;
  bool fail_fast = false;                                  ///< the first failure ends the run
  bool explain = true;                                     ///< failures are shrunk and diagnosed
  bool shrink = true;                                      ///< failures that are explained are shrunk
  std::function<void(const RunProgress&)> progress = {};   ///< called before each case; null for silence
  std::function<void(const Failure&)> first_failure = {};  ///< called at that of each property, before it is shrunk
  std::function<bool()> interrupted = {};  ///< asked before each case and each step of shrinking; null: never
};

/// Examines one kernel. Where no properties are chosen and problems are many, relations take turns: each is tried on
/// equally many of those to which it applies. UserError if a problem cannot be filled; every other exception that is
/// not the kernel's own ends the run, and stands among its own_failures.
KernelRun examine(const Candidate&, const RunOptions&);

/// Judges the kernel and enters the run into a ledger that another thread may read meanwhile.
void examine(const Kernel&, const RunOptions&, Ledger&);

/// One property on one problem; passed, failed, inconclusive, or skipped when refused or inapplicable. Only what the
/// kernel did is a failure: SystemFailure and std::bad_alloc pass through, and of a property that throws the verdict is
/// inconclusive.
Verdict examine_case(const Kernel&, const Property&, const Problem&);

/// The line that runs one case again, quoted for a shell; `option` asks for the kernel.
std::string repro_line(const std::string& option, const Property&, const Problem&);

/// The text as one word of a shell.
std::string quoted(const std::string& text);

}  // namespace attestone::inline conformance
