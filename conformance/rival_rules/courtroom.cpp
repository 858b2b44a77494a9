// SPDX-License-Identifier: Apache-2.0
// Showing kernels to judges: a crash is convicted by every one of them.
#include "conformance/rival_rules/courtroom.hpp"

#include "conformance/problems/suite.hpp"
#include "reference/numerics/exactness.hpp"

namespace attestone::inline conformance {
namespace {

bool accepts(const Judge& judge, const JudgedCase& known, const std::optional<AnswerValues>& answer) {
  return answer && known.accepted(judge, *answer);
}

/// No rule of others knows of conventions, or of K and V that are rounded before anything is computed with them.
bool is_subject_to_rules(const Kernel& kernel, const Problem& problem) {
  return kernel.takes(problem) && kernel.conventions() == Conventions{} &&
         reads_what_is_given(kernel.numerics(problem));
}

Ruling ruling(bool accepted, bool twin_accepted) {
  if (accepted) return Ruling::let_through;
  return twin_accepted ? Ruling::convicted : Ruling::convicted_with_twin;
}

}  // namespace

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

Courtroom::Courtroom(std::vector<const Judge*> judges, const std::vector<const Mutant*>& mutants)
    : judges_(std::move(judges)) {
  for (const Judge* judge : judges_) {
    usual_.emplace_back();
    for (const Problem& problem : parse_suite(judge->usual, std::string(judge->name))) {
      usual_.back().push_back(std::make_unique<JudgedCase>(problem, judge->element));
      usual_.back().back()->add_baseline(judge->baseline);
    }
  }
  for (const Mutant* mutant : mutants)
    for (const Problem& problem : in_every_format(*mutant)) {
      Case& known = own_[problem.text()];
      if (known) continue;
      known = std::make_unique<JudgedCase>(problem);
      for (const Judge* judge : judges_) known->add_baseline(judge->baseline);
    }
  for (const Mutant* mutant : mutants) hear(*mutant->twin());
}

void Courtroom::hear(const Kernel& twin) {
  const auto [place, is_new] = twins_.try_emplace(twin.name());
  if (!is_new) return;
  TwinRulings& rulings = place->second;
  for (std::size_t j = 0; j < judges_.size(); ++j) {
    rulings.usual.emplace_back();
    for (const Case& known : usual_[j])
      rulings.usual.back().push_back(twin.takes(known->problem()) &&
                                     accepts(*judges_[j], *known, answer_of(twin, *known)));
  }
  for (const auto& [text, known] : own_) {
    if (!twin.takes(known->problem())) continue;
    const std::optional<AnswerValues> answer = answer_of(twin, *known);
    for (const Judge* judge : judges_) rulings.own[text].push_back(accepts(*judge, *known, answer));
  }
}

Ruling Courtroom::on_usual_inputs(std::size_t judge, const Kernel& kernel, const TwinRulings& twin) const {
  Ruling best = Ruling::let_through;
  for (std::size_t i = 0; i < usual_[judge].size(); ++i) {
    const JudgedCase& known = *usual_[judge][i];
    if (!kernel.takes(known.problem())) continue;
    const Ruling here = ruling(accepts(*judges_[judge], known, answer_of(kernel, known)), twin.usual[judge][i]);
    if (here == Ruling::convicted) return here;
    if (here == Ruling::convicted_with_twin) best = here;
  }
  return best;
}

std::vector<Conviction> Courtroom::rule_on(const Mutant& mutant) const {
  const SharedKernel kernel = mutant.kernel();
  const std::string text = parse_problem(mutant.problem).text();
  const JudgedCase& own = *own_.at(text);
  const TwinRulings& twin = twin_of(mutant);
  const std::optional<AnswerValues> answer = answer_of(*kernel, own);
  std::vector<Conviction> all;
  for (std::size_t j = 0; j < judges_.size(); ++j)
    all.push_back({on_usual_inputs(j, *kernel, twin), ruling(accepts(*judges_[j], own, answer), twin.own.at(text)[j])});
  return all;
}

CorrectRow Courtroom::rule_on(const Kernel& correct) const {
  CorrectRow row{
      correct.name(), {}, std::vector<FalseAlarms>(judges_.size()), std::vector<FalseAlarms>(judges_.size())};
  for (std::size_t j = 0; j < judges_.size(); ++j)
    for (const Case& known : usual_[j])
      if (is_subject_to_rules(correct, known->problem()))
        row.on_usual_inputs[j].add(!accepts(*judges_[j], *known, answer_of(correct, *known)), known->problem().text());
  for (const auto& [text, known] : own_) {
    if (!is_subject_to_rules(correct, known->problem())) continue;
    const std::optional<AnswerValues> answer = answer_of(correct, *known);
    for (std::size_t j = 0; j < judges_.size(); ++j)
      row.on_problems[j].add(!accepts(*judges_[j], *known, answer), text);
  }
  return row;
}

}  // namespace attestone::inline conformance
