// SPDX-License-Identifier: Apache-2.0
// The result of judging one kernel: cases, failures, and everything else that reports show.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/kernel.hpp"
#include "conformance/diagnosis/circumstances/circumstances.hpp"
#include "conformance/diagnosis/declarations/sufficient_declaration.hpp"
#include "conformance/diagnosis/diagnose.hpp"
#include "conformance/problems/coverage.hpp"
#include "conformance/problems/reach.hpp"
#include "conformance/properties/property.hpp"
#include "conformance/run/lean_over_run.hpp"
#include "conformance/verdict/verdict.hpp"

namespace attestone::inline conformance {

/// How the line of a failure fared when it was run again, in a process that knows nothing of the calls before.
struct Rerun {
  index failed = 0, runs = 0;
  std::vector<Problem> before = {};  ///< asked first in the same process: without it the failing problem passes
};

/// A property that a kernel does not have, shown by the least problem that was found.
struct Failure {
  const Property* property;  ///< null when the whole run is at fault (required, never-conclusive, leans)
  Verdict verdict;           ///< on the least problem
  Problem first, least;      ///< the problem that failed first, and what it shrank to
  index count = 1;           ///< how many cases of this property failed
  /// Where the errors lie on the problem that failed first; of the value bounds.
  std::vector<TensorAccuracy> by_place = {};
  /// How a command line asks for the kernel that fails on the least problem: fewer devices may do.
  std::string option = {};
  /// Nothing if there was no time for it.
  std::optional<Rerun> again = {};
  /// The line that shows a failure of the whole run again, where its problems can be asked for in one.
  std::string rerun = {};
  /// The other problem of a relation, if the kernel fails the value bound there, on inputs of its own.
  std::optional<Problem> derived = {};
  /// Which elements are wrong and when, as further calls tell: of one failure of a run.
  Circumstances circumstances = {};
};

/// The line that shows a failure again; empty if there is none.
std::string repro_of(const Failure&);

/// The line that shows that its derived problem fails as well; empty if there is none.
std::string repro_of_derived(const Failure&);

/// The case of one format that used the largest share of its deterministic bound, and where.
struct LeastAccurate {
  Problem problem;
  double r_det = 0;
  std::vector<TensorAccuracy> by_place;
};

using Counts = std::map<Outcome, index>;

/// A kernel's declared arithmetic, next to the default class of the formats.
struct DeclaredClass {
  std::string name;                         ///< of the default class: "bf16-P"
  std::vector<LooserField> looser;          ///< what allows the kernel more; of problems that differ, the loosest
  Invariance invariant = Invariance::none;  ///< of what rows are independent; of problems that differ, all of it
};

/// Why a run ended before its end, other than by a failure of the kernel.
enum class CutShort {
  interrupted,  ///< by a signal
  budget,       ///< the time was used up
  own_failure,  ///< attestone went wrong, or the machine denied it something
};

/// "interrupted", "over budget" or "attestone itself failed".
std::string_view text(CutShort);

/// The formats of a problem's inputs and output: "bf16>f32", and "bf16>f32 gradients" for properties of the backward
/// pass.
std::string accuracy_format(const Property&, const Problem&);

/// Everything that came of one kernel.
struct KernelRun {
  std::string kernel;
  std::string option;                           ///< how a command line asks for the kernel
  std::vector<DeclaredConvention> conventions;  ///< in which it is judged by what it declares, and not by the rules
  bool uses_attestone = false;                  ///< it was seen to compute with attestone's own library
  std::vector<Case> cases;
  std::vector<Failure> failures;
  Counts counts;
  std::map<std::string, Counts> by_property;
  std::vector<Finding> findings;      ///< wrong variants of attention that explain what failed
  std::vector<std::string> read_out;  ///< masks and scores of a kernel that failed, if they are wrong
  /// The declaration under which the failures of a bound would be none; declares nothing if it was shown that no single
  /// field would do. Not there if no bound failed, what stands above explains it, or nothing was shown.
  std::optional<SufficientDeclaration> would_pass;
  std::map<std::string, index> refusals;         ///< why the kernel refused, and how many problems
  std::map<Adjustment, index> adjustments;       ///< what the kernel changed of its settings, and for how many problems
  std::map<std::string, DeclaredClass> classes;  ///< by the formats of the problems, as dtype_text() has them
  /// The properties of which no case could tell right from wrong, and why, where that is no fault of the kernel.
  std::map<std::string, std::string> inconclusive;
  std::vector<std::string> own_failures;  ///< what went wrong in attestone itself, each cause once: accuses nobody
  std::map<std::string, LeastAccurate> least_accurate;  ///< by accuracy_format()
  std::optional<LeanOverRun> lean;      ///< of all problems together; not there if none of them can tell
  std::map<std::string, index> faults;  ///< of a mesh: each that was asked for, and how often it has happened
  Coverage coverage;
  ReachByFormat reach;  ///< of conclusive cases that have an accuracy, by accuracy_format()
  Times times;
  double seconds = 0;
  bool complete = true;  ///< false if it was cut short, or when a failure of the kernel ended the run
  std::optional<CutShort> cut_short;
  index problems = 0, left_out = 0;  ///< all, and those of which not every case was judged
  /// Features of problems left out when the run was cut short that no other problem has.
  std::vector<std::string> features_left_out;

  /// A case was decided, and none failed, in a run that came to its end.
  bool conforms() const { return decided() && failures.empty() && !cut_short && own_failures.empty(); }
  /// True if the kernel declares arithmetic that is looser than that of a default class.
  bool is_looser() const;
  /// A case told right from wrong.
  bool decided() const { return counts.contains(Outcome::passed) || counts.contains(Outcome::failed); }
};

/// The declarations that allow the kernel more than its default classes do, class by class: "looser than bf16-P:
/// output_roundoff=0.4 (bf16-P: 0.0039)".
std::vector<std::string> looser_texts(const KernelRun&);

/// The kernel's own conventions, one by one: "empty_rows=nan: a row that ... answers NaN (the rules: zero)".
std::vector<std::string> convention_texts(const KernelRun&);

}  // namespace attestone::inline conformance
