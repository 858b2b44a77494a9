// SPDX-License-Identifier: Apache-2.0
// Calling mutants and correct kernels before us and before the other judges, and adding up.
#include "conformance/rival_rules/kill_matrix.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <mutex>
#include <set>

#include "conformance/rival_rules/correct_kernels.hpp"
#include "conformance/rival_rules/courtroom.hpp"
#include "conformance/run/run.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

template <class Entry>
std::vector<const Entry*> or_all(std::vector<const Entry*> chosen) {
  if (chosen.empty())
    for (const auto& [name, entry] : Registry<Entry>::all()) chosen.push_back(&entry);
  return chosen;
}

const Property& property_of(const Mutant& mutant) {
  const Property* property = Registry<Property>::find(mutant.property);
  require(property, "every mutant names a property that exists");
  return *property;
}

/// Our own false alarms on a correct kernel.
FalseAlarms our_alarms(const Kernel& kernel, const std::vector<const Mutant*>& mutants) {
  FalseAlarms alarms;
  std::set<std::pair<std::string_view, std::string>> judged;
  for (const Mutant* mutant : mutants)
    for (const Problem& problem : in_every_format(*mutant)) {
      const std::string text = problem.text();
      if (!judged.emplace(mutant->property, text).second) continue;
      const Outcome outcome = examine_case(kernel, property_of(*mutant), problem).outcome;
      if (outcome != Outcome::skipped) alarms.add(outcome == Outcome::failed, text);
    }
  return alarms;
}

bool is_failure(const Case& one) { return one.verdict.outcome == Outcome::failed; }

/// Judges as a gate does: property after property, and the first failure is enough.
bool convicts(const std::vector<Problem>& suite, const Mutant& mutant) {
  const KernelRun run = examine(mutant.kernel(), {.problems = suite, .fail_fast = true, .explain = false});
  return std::ranges::any_of(run.cases, is_failure);
}

FalseAlarms alarms_of(const std::vector<Problem>& suite, const SharedKernel& kernel) {
  FalseAlarms alarms;
  for (const Case& one : examine(kernel, {.problems = suite, .explain = false}).cases)
    if (one.verdict.outcome != Outcome::skipped) alarms.add(is_failure(one), one.problem.text());
  return alarms;
}

/// work(0) to work(count - 1), each on one thread; then throws the first exception, if there was one.
void share_out(std::size_t count, const auto& work) {
  std::exception_ptr thrown;
  std::mutex catching;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t job = 0; job < count; ++job) try {
      work(job);
    } catch (...) {
      const std::lock_guard lock(catching);
      if (!thrown) thrown = std::current_exception();
    }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace

std::string_view text(Ruling ruling) {
  constexpr std::array<std::string_view, 3> texts{"let through", "convicted", "convicted with its twin"};
  return texts.at(static_cast<std::size_t>(ruling));
}

void FalseAlarms::add(bool convicted, const std::string& problem) {
  *this += {.cases = 1, .alarms = convicted ? 1 : 0, .first = convicted ? problem : ""};
}

FalseAlarms& FalseAlarms::operator+=(const FalseAlarms& more) {
  cases += more.cases, alarms += more.alarms;
  if (first.empty()) first = more.first;
  return *this;
}

std::vector<JudgeColumn> KillMatrix::by_judge() const {
  std::vector<JudgeColumn> columns;
  for (std::size_t j = 0; j < judges.size(); ++j) {
    JudgeColumn column{judges[j], 0, 0, {}, {}};
    for (const MutantRow& mutant : mutants) {
      column.kills_on_usual_inputs += mutant.convictions[j].on_usual_inputs == Ruling::convicted ? 1 : 0;
      column.kills += mutant.convictions[j].convicted() ? 1 : 0;
    }
    for (const CorrectRow& kernel : correct) {
      column.on_usual_inputs += kernel.on_usual_inputs[j];
      column.on_problems += kernel.on_problems[j];
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

index KillMatrix::our_kills() const { return std::ranges::count_if(mutants, &MutantRow::convicted); }

FalseAlarms KillMatrix::our_alarms() const {
  FalseAlarms all;
  for (const CorrectRow& kernel : correct) all += kernel.ours;
  return all;
}

index KillMatrix::suite_kills() const { return std::ranges::count_if(mutants, &MutantRow::by_suite); }

FalseAlarms KillMatrix::suite_alarms() const {
  FalseAlarms all;
  for (const CorrectRow& kernel : correct) all += kernel.by_suite;
  return all;
}

bool KillMatrix::flawless() const {
  const auto right = [](const MutantRow& m) { return m.convicted() && m.twin.outcome == Outcome::passed; };
  return std::ranges::all_of(mutants, right) && our_alarms().alarms + suite_alarms().alarms == 0;
}

std::vector<MutantRow> mutant_rows(const MatrixOptions& options) {
  std::vector<MutantRow> rows;
  for (const Mutant* mutant : or_all(options.mutants)) {
    const Property& property = property_of(*mutant);
    const Problem problem = parse_problem(mutant->problem);
    rows.push_back(
        {mutant, examine_case(*mutant->kernel(), property, problem), examine_case(*mutant->twin(), property, problem)});
  }
  return rows;
}

KillMatrix kill_matrix(const MatrixOptions& options) {
  const std::vector<const Mutant*> mutants = or_all(options.mutants);
  const std::vector<const Judge*> judges = or_all(options.judges);
  const std::vector<SharedKernel> correct = correct_kernels();
  const Courtroom court(judges, mutants);
  KillMatrix matrix{judges, mutant_rows(options), std::vector<CorrectRow>(correct.size()), options.suite};
  // Mutants keep state between their calls, and each sees its own calls in order.
  share_out(correct.size() + mutants.size(), [&](std::size_t job) {
    if (job < correct.size()) {
      matrix.correct[job] = court.rule_on(*correct[job]);
      matrix.correct[job].by_suite = alarms_of(options.suite_problems, correct[job]);
    } else {
      const Mutant& mutant = *mutants[job - correct.size()];
      MutantRow& row = matrix.mutants[job - correct.size()];
      row.convictions = court.rule_on(mutant);
      row.by_suite = convicts(options.suite_problems, mutant);
    }
  });
  for (std::size_t i = 0; i < correct.size(); ++i) matrix.correct[i].ours = our_alarms(*correct[i], mutants);
  return matrix;
}

}  // namespace attestone::inline conformance
