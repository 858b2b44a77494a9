// SPDX-License-Identifier: Apache-2.0
// Entering cases.
#include "conformance/run/ledger.hpp"

#include <algorithm>
#include <utility>

#include "conformance/run/case.hpp"

namespace attestone::inline conformance {
namespace {

/// Keeps a case's by_place only for the least accurate case of each format, so that long runs stay small.
void keep_least_accurate(KernelRun& run, const Property& property, const Problem& problem, Verdict& verdict) {
  std::vector<TensorAccuracy> by_place = std::exchange(verdict.by_place, {});
  if (by_place.empty()) return;
  const double r_det = verdict.accuracy->r_det;
  const auto [known, fresh] = run.least_accurate.try_emplace(accuracy_format(property, problem));
  if (fresh || r_det > known->second.r_det) known->second = {problem, r_det, std::move(by_place)};
}

}  // namespace

Ledger::Ledger(const Candidate& candidate) : option_(candidate.option) {
  run_.kernel = candidate.kernel->name();
  run_.option = option_.text();
  run_.conventions = differing(candidate.kernel->conventions());
}

KernelRun Ledger::snapshot() const {
  const std::lock_guard lock(mutex_);
  KernelRun run = run_;
  if (!closed_) run.seconds = seconds();
  return run;
}

void Ledger::expect_problems(index problems) {
  change([&](KernelRun& run) { run.problems = run.left_out = problems; });
}

void Ledger::finish_problem() {
  change([](KernelRun& run) { --run.left_out; });
}

void Ledger::refuse(Refusal refusal) {
  change([&](KernelRun& run) {
    ++run.refusals[refusal.why];
    ++run.counts[Outcome::skipped];
    for (const std::string& feature : features_of(refusal.problem)) ++run.coverage[feature][Outcome::skipped];
  });
  refused_.push_back(std::move(refusal));
}

void Ledger::refuse_backward(const Problem& problem, const std::string& why) {
  change([&](KernelRun& run) {
    ++run.refusals["the backward pass: " + why];
    ++run.coverage["backward"][Outcome::skipped];
  });
  refused_.push_back({problem, why, false});
}

void Ledger::note_class(const Problem& problem, const Numerics& numerics) {
  change([&](KernelRun& run) {
    DeclaredClass& known = run.classes[dtype_text(problem)];
    known.name = default_class_name(problem.input);
    known.invariant = known.invariant | numerics.invariant;
    for (const LooserField& field : looser_fields(numerics, problem.input, problem.output)) {
      const auto same = std::ranges::find(known.looser, field.name, &LooserField::name);
      if (same == known.looser.end())
        known.looser.push_back(field);
      else if (same->excess < field.excess)
        *same = field;
    }
  });
}

void Ledger::note_adjustments(const std::vector<Adjustment>& adjustments) {
  change([&](KernelRun& run) {
    for (const Adjustment& adjustment : adjustments) ++run.adjustments[adjustment];
  });
}

bool Ledger::add(const Property& property, const Problem& problem, Verdict verdict) {
  answered_formats_.insert(dtype_text(problem));
  const bool of_gradients = needs_gradients(property, problem);
  bool first = false;
  change([&](KernelRun& run) {
    ++run.counts[verdict.outcome];
    ++run.by_property[std::string(property.name)][verdict.outcome];
    // A kernel that refuses another form of a problem has not refused the problem; and what is right in the forward
    // pass says nothing of the backward pass.
    if (verdict.outcome != Outcome::skipped)
      for (const std::string& feature : features_of(problem))
        if (feature != "backward" || of_gradients) ++run.coverage[feature][verdict.outcome];
    if (verdict.outcome == Outcome::failed) {
      has_failed_ = true;
      const auto known = std::ranges::find(run.failures, &property, &Failure::property);
      first = known == run.failures.end();
      if (first)
        run.failures.push_back({&property, verdict, problem, problem, 1, verdict.by_place, run.option});
      else
        ++known->count;
    }
    const bool conclusive = verdict.outcome == Outcome::passed || verdict.outcome == Outcome::failed;
    if (conclusive && verdict.accuracy) extend(run.reach, accuracy_format(property, problem), problem);
    keep_least_accurate(run, property, problem, verdict);
    run.cases.push_back({&property, problem, std::move(verdict)});
  });
  return first;
}

void Ledger::add_failure(std::string_view reason, std::string evidence, std::string rerun) {
  change([&](KernelRun& run) {
    Failure failure{nullptr, Verdict::failed(reason, std::move(evidence)), {}, {}};
    failure.rerun = std::move(rerun);
    run.failures.push_back(std::move(failure));
  });
}

void Ledger::note_use_of_attestone(bool uses) {
  change([&](KernelRun& run) { run.uses_attestone = uses; });
}

void Ledger::note_lean(std::optional<LeanOverRun> lean) {
  change([&](KernelRun& run) { run.lean = std::move(lean); });
}

void Ledger::add_inconclusive(const std::string& property, const std::string& why) {
  change([&](KernelRun& run) { run.inconclusive[property] = why; });
}

void Ledger::add_own_failure(const std::string& cause) {
  change([&](KernelRun& run) {
    if (std::ranges::find(run.own_failures, cause) == run.own_failures.end()) run.own_failures.push_back(cause);
  });
}

void Ledger::add_times(const Times& times) {
  change([&](KernelRun& run) {
    run.times.truth += times.truth, run.times.kernel += times.kernel, run.times.all += times.all;
  });
}

void Ledger::add_faults(const std::map<std::string, index>& faults) {
  change([&](KernelRun& run) {
    for (const auto& [name, times] : faults) run.faults[name] += times;
  });
}

void Ledger::shrink_to(std::size_t failure, const Problem& least, const Verdict& verdict, const std::string& devices) {
  change([&](KernelRun& run) {
    Failure& own = run.failures[failure];
    own.least = least, own.verdict = verdict;
    own.option = option_.on(devices).text();
  });
}

void Ledger::explain(std::vector<Finding> findings, std::vector<std::string> read_out) {
  change([&](KernelRun& run) {
    if (run.findings.empty()) run.findings = std::move(findings);
    if (run.read_out.empty()) run.read_out = std::move(read_out);
  });
}

void Ledger::explain(std::size_t failure, Circumstances circumstances) {
  change([&](KernelRun& run) { run.failures[failure].circumstances = std::move(circumstances); });
}

void Ledger::note_rerun(std::size_t failure, Rerun again) {
  change([&](KernelRun& run) { run.failures[failure].again = std::move(again); });
}

void Ledger::explain_by(std::size_t failure, const Problem& derived) {
  change([&](KernelRun& run) { run.failures[failure].derived = derived; });
}

void Ledger::would_pass(SufficientDeclaration declaration) {
  change([&](KernelRun& run) { run.would_pass = std::move(declaration); });
}

void Ledger::end_with_failure() {
  change([](KernelRun& run) { run.complete = false; });
}

void Ledger::cut_short(CutShort why) {
  change([&](KernelRun& run) { run.complete = false, run.cut_short = why; });
}

void Ledger::leave_out(std::vector<std::string> features) {
  change([&](KernelRun& run) { run.features_left_out = std::move(features); });
}

void Ledger::close() {
  change([&](KernelRun& run) { run.seconds = seconds(), closed_ = true; });
}

}  // namespace attestone::inline conformance
