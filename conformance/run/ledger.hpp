// SPDX-License-Identifier: Apache-2.0
// The ledger of a run: what cases add to it, readable by another thread at any time.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>

#include "conformance/run/run.hpp"

namespace attestone::inline conformance {

/// A problem that a kernel did not take.
struct Refusal {
  Problem problem;
  std::string why;
  bool declared;  ///< by its limits, before any call
};

/// Written by the thread that judges, which alone may use what is not marked otherwise.
class Ledger {
 public:
  explicit Ledger(const Candidate&);

  /// The results so far; any thread may call this.
  KernelRun snapshot() const;
  const KernelRun& run() const { return run_; }
  /// True if a case has failed so far; any thread may call this.
  bool has_failed() const { return has_failed_; }
  const std::vector<Refusal>& refused() const { return refused_; }
  /// The formats (dtype_text) of problems that were answered.
  const std::set<std::string>& answered_formats() const { return answered_formats_; }

  /// So many problems are to be judged; one of them is.
  void expect_problems(index);
  void finish_problem();
  void refuse(Refusal);
  /// The forward pass of the problem is answered, its backward pass refused.
  void refuse_backward(const Problem&, const std::string& why);
  /// Notes what the kernel declares for a problem that it takes.
  void note_class(const Problem&, const Numerics&);
  void note_adjustments(const std::vector<Adjustment>&);
  /// True if this was the first failure of its property: it is the last of run().failures then.
  bool add(const Property&, const Problem&, Verdict);
  /// Adds a failure of the whole run; `rerun` is the line that shows it again, if there is one.
  void add_failure(std::string_view reason, std::string evidence, std::string rerun = {});
  void note_use_of_attestone(bool);
  void note_lean(std::optional<LeanOverRun>);
  void add_inconclusive(const std::string& property, const std::string& why);
  void add_own_failure(const std::string& cause);
  void add_times(const Times&);
  void add_faults(const std::map<std::string, index>&);
  /// A smaller problem fails alike, on these devices.
  void shrink_to(std::size_t failure, const Problem& least, const Verdict&, const std::string& devices);
  void explain(std::vector<Finding>, std::vector<std::string> read_out);
  void explain(std::size_t failure, Circumstances);
  void note_rerun(std::size_t failure, Rerun);
  void explain_by(std::size_t failure, const Problem& derived);
  void would_pass(SufficientDeclaration);
  /// A failure of the kernel ends the run.
  void end_with_failure();
  void cut_short(CutShort);
  /// Notes features of the problems left out that no judged problem has.
  void leave_out(std::vector<std::string> features);
  /// Now the run's time stands.
  void close();

 private:
  template <class Change>
  void change(Change change) {
    const std::lock_guard lock(mutex_);
    change(run_);
  }
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

  mutable std::mutex mutex_;  // of run_, where it is changed, and where another thread reads it
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool closed_ = false;
  std::atomic<bool> has_failed_ = false;
  KernelOption option_;
  KernelRun run_;
  std::vector<Refusal> refused_;
  std::set<std::string> answered_formats_;
};

}  // namespace attestone::inline conformance
