// SPDX-License-Identifier: Apache-2.0
// Showing every mutant and every correct kernel to every judge.
#include "conformance/score.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include "conformance/correct_kernels.hpp"
#include "conformance/judged_case.hpp"
#include "conformance/run.hpp"
#include "conformance/suite.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

using Cases = std::vector<std::unique_ptr<JudgedCase>>;

const Property& property_of(const Mutant& mutant) {
  const Property* property = Registry<Property>::find(mutant.property);
  require(property, "every mutant names a property that exists");
  return *property;
}

/// The problem of the mutant, and what it is in the other formats in which kernels compute.
std::vector<Problem> in_every_format(const Mutant& mutant) {
  const Problem own = parse_problem(mutant.problem);
  std::vector<Problem> all{own};
  if (own.input.name != "f32" || own.output.name != "f32") return all;
  for (const char* format : {"f16", "bf16"}) {
    all.push_back(own);
    all.back().input = all.back().output = dtype(format);
  }
  return all;
}

/// The usual inputs of one judge.
Cases usual_cases(const Judge& judge) {
  Cases cases;
  for (const Problem& problem : parse_suite(judge.usual, std::string(judge.name))) {
    cases.push_back(std::make_unique<JudgedCase>(problem, judge.element));
    cases.back()->add_baseline(judge.baseline);
  }
  return cases;
}

/// Everything that is shown, worked out before kernels run: the usual inputs of each judge, and the problems of the
/// mutants by their text.
struct Courtroom {
  std::vector<const Judge*> judges;
  std::vector<Cases> usual;
  std::map<std::string, std::unique_ptr<JudgedCase>> own;

  Courtroom() {
    for (const auto& [name, judge] : Registry<Judge>::all()) {
      judges.push_back(&judge);
      usual.push_back(usual_cases(judge));
    }
    for (const auto& [name, mutant] : Registry<Mutant>::all())
      for (const Problem& problem : in_every_format(mutant)) {
        auto& known = own[problem.text()];
        if (known) continue;
        known = std::make_unique<JudgedCase>(problem);
        for (const Judge* judge : judges) known->add_baseline(judge->baseline);
      }
  }
};

/// A crash convicts before every judge.
bool convicts(const Judge& judge, const JudgedCase& known, const std::optional<AnswerValues>& answer) {
  return !answer || !known.accepted(judge, *answer);
}

std::vector<Conviction> convictions(const Courtroom& court, const Mutant& mutant) {
  const AnyKernel kernel = mutant.kernel();
  const JudgedCase& own = *court.own.at(parse_problem(mutant.problem).text());
  const std::optional<AnswerValues> answer = answer_of(kernel, own);
  std::vector<Conviction> all;
  for (std::size_t j = 0; j < court.judges.size(); ++j) {
    const Judge& judge = *court.judges[j];
    all.push_back({.on_usual_inputs = std::ranges::any_of(court.usual[j],
                                                          [&](const auto& known) {
                                                            return takes(kernel, known->problem()) &&
                                                                   convicts(judge, *known, answer_of(kernel, *known));
                                                          }),
                   .on_its_problem = convicts(judge, own, answer)});
  }
  return all;
}

/// What other projects say of a correct kernel.
CorrectScore alarms(const Courtroom& court, const AnyKernel& kernel) {
  CorrectScore score{
      kernel.name, {}, std::vector<FalseAlarms>(court.judges.size()), std::vector<FalseAlarms>(court.judges.size())};
  for (std::size_t j = 0; j < court.judges.size(); ++j)
    for (const auto& known : court.usual[j])
      if (takes(kernel, known->problem()))
        score.on_usual_inputs[j].add(convicts(*court.judges[j], *known, answer_of(kernel, *known)),
                                     known->problem().text());
  for (const auto& [text, known] : court.own) {
    if (!takes(kernel, known->problem())) continue;
    const std::optional<AnswerValues> answer = answer_of(kernel, *known);
    for (std::size_t j = 0; j < court.judges.size(); ++j)
      score.on_problems[j].add(convicts(*court.judges[j], *known, answer), text);
  }
  return score;
}

/// What we say of a correct kernel.
FalseAlarms our_alarms(const AnyKernel& kernel) {
  FalseAlarms alarms;
  std::set<std::pair<std::string_view, std::string>> judged;
  for (const auto& [name, mutant] : Registry<Mutant>::all())
    for (const Problem& problem : in_every_format(mutant)) {
      const std::string text = problem.text();
      if (!judged.emplace(mutant.property, text).second) continue;
      const Outcome outcome = judge_case(kernel, property_of(mutant), problem).outcome;
      if (outcome != Outcome::skipped) alarms.add(outcome == Outcome::failed, text);
    }
  return alarms;
}

FalseAlarms sum(const std::vector<CorrectScore>& scores, auto part) {
  FalseAlarms all;
  for (const CorrectScore& score : scores) {
    const FalseAlarms& more = part(score);
    all.cases += more.cases, all.alarms += more.alarms;
    if (all.first.empty()) all.first = more.first;
  }
  return all;
}

}  // namespace

void FalseAlarms::add(bool convicted, const std::string& problem) {
  ++cases;
  if (!convicted) return;
  ++alarms;
  if (first.empty()) first = problem;
}

index KillMatrix::kills(std::size_t judge) const {
  return std::ranges::count_if(mutants, [&](const MutantScore& m) { return m.convictions[judge].convicted(); });
}

index KillMatrix::kills_on_usual_inputs(std::size_t judge) const {
  return std::ranges::count_if(mutants, [&](const MutantScore& m) { return m.convictions[judge].on_usual_inputs; });
}

index KillMatrix::our_kills() const { return std::ranges::count_if(mutants, &MutantScore::convicted); }

FalseAlarms KillMatrix::our_alarms() const {
  return sum(correct, [](const CorrectScore& score) { return score.ours; });
}

FalseAlarms KillMatrix::alarms_on_usual_inputs(std::size_t judge) const {
  return sum(correct, [&](const CorrectScore& score) { return score.on_usual_inputs[judge]; });
}

FalseAlarms KillMatrix::alarms_on_problems(std::size_t judge) const {
  return sum(correct, [&](const CorrectScore& score) { return score.on_problems[judge]; });
}

bool KillMatrix::flawless() const {
  const auto right = [](const MutantScore& m) { return m.convicted() && m.twin.outcome == Outcome::passed; };
  return std::ranges::all_of(mutants, right) && our_alarms().alarms == 0;
}

std::vector<MutantScore> score_mutants() {
  std::vector<MutantScore> scores;
  for (const auto& [name, mutant] : Registry<Mutant>::all()) {
    const Property& property = property_of(mutant);
    const Problem problem = parse_problem(mutant.problem);
    scores.push_back(
        {&mutant, judge_case(mutant.kernel(), property, problem), judge_case(mutant.twin(), property, problem)});
  }
  return scores;
}

KillMatrix kill_matrix() {
  const Courtroom court;
  KillMatrix all{court.judges, score_mutants(), {}};
  const std::vector<AnyKernel> correct = correct_kernels();
  all.correct.resize(correct.size());
  // One thread a kernel: mutants keep state between their calls, and each sees its own calls in order.
  const std::size_t jobs = all.mutants.size() + correct.size();
#pragma omp parallel for schedule(dynamic)
  for (std::size_t job = 0; job < jobs; ++job)
    if (job < correct.size())
      all.correct[job] = alarms(court, correct[job]);
    else
      all.mutants[job - correct.size()].convictions = convictions(court, *all.mutants[job - correct.size()].mutant);
  for (std::size_t i = 0; i < correct.size(); ++i) all.correct[i].ours = our_alarms(correct[i]);
  return all;
}

}  // namespace attestone
