// SPDX-License-Identifier: Apache-2.0
// From a failing problem to a plainer one with room around it; then features, extents, places and kinds in turn.
#include "conformance/diagnosis/kinds/circumstances_of.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "conformance/diagnosis/circumstances/counterexamples.hpp"
#include "conformance/diagnosis/circumstances/narrow.hpp"
#include "conformance/diagnosis/circumstances/pattern.hpp"
#include "conformance/diagnosis/kinds/kind.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// Problems among which a counterexample is looked for.
constexpr std::size_t most_fresh = 12;

/// One search.
class Search {
 public:
  Search(const AskKernel& ask, const FailureToExplain& failure)
      : inquiry_(ask, failure.reason), fresh_(ask, failure.reason), failure_(failure) {}

  Circumstances found() && {
    if (find_base()) {
      name_kinds(true);
      if (found_.kinds.empty()) {
        move_extents();
        ask_one_thread();
        find_features();
        if (failure_.of_bound && is_far_off()) find_conditions();
        refute();
      }
      find_pattern();
      name_kinds(false);
    } else {
      ask_alone();
    }
    found_.calls = inquiry_.calls() + fresh_.calls();
    found_.fresh_calls = fresh_.calls();
    return std::move(found_);
  }

 private:
  /// The features of the least problem at the extents of the first, with other inputs; or one of the two, if that
  /// passes. Whether any of them fails.
  bool find_base() {
    Problem base = failure_.least;
    base.shape = failure_.first.shape;
    if (!base.lengths.empty()) base.lengths = failure_.first.lengths;
    if (!base.query_lengths.empty()) base.query_lengths = failure_.first.query_lengths;
    for (const Problem& problem : {with_seed(base, 1), base, failure_.first, failure_.least}) {
      const auto heard = inquiry_.hear(FurtherCall{problem});
      if (!heard || inquiry_.is_alike(*heard) != true) continue;
      evidence_.base = problem, evidence_.least = failure_.least, evidence_.verdict = heard->verdict;
      moved_ = problem;
      return true;
    }
    return false;
  }

  void move_extents() {
    for (const Variable& variable : variables()) {
      if (!variable.matters(moved_.shape)) continue;
      const index more = variable.is_long ? 3 : 1;
      const Problem next = with(moved_, variable, variable.of(moved_.shape) + more);
      if (inquiry_.fails(next) == true) moved_ = next;
    }
  }

  /// Asks about a failure that passes by itself.
  void ask_alone() {
    const auto fresh = inquiry_.fails(FurtherCall{.problem = failure_.first, .fresh = true});
    for (index again = 0; again < 2; ++again)
      if (inquiry_.fails(FurtherCall{failure_.first}).value_or(true)) return;
    if (fresh == false) found_.only_with.emplace_back("other calls before it (by itself it passed each of 3 times)");
  }

  void ask_one_thread() {
    const FurtherCall single{.problem = evidence_.base, .threads = 1}, several{evidence_.base};
    if (inquiry_.fails(single) == false && inquiry_.fails(several) == true && inquiry_.fails(single) == false)
      found_.only_with.emplace_back("more than one thread");
  }

  bool is_in_every_failure(const ProblemFeature& feature) const {
    return std::ranges::all_of(failure_.failing, feature.is_there);
  }

  void find_features() {
    for (ProblemFeature& feature : features_beside_extents(evidence_.least)) {
      if (!is_in_every_failure(feature)) continue;
      std::optional<bool> fails_without;
      for (Problem without : {evidence_.base, failure_.first}) {
        feature.remove(without);
        if (!fails_without) fails_without = inquiry_.fails_with_some_seed(without);
      }
      if (fails_without != false) continue;
      found_.only_with.push_back(feature.says);
      evidence_.features.push_back(std::move(feature));
    }
  }

  /// True if the extent may matter at all: it is more than one in the least problem, or whole tiles of it are right.
  bool may_matter(const Variable& variable) {
    if (!variable.matters(evidence_.least.shape) || is_tied(variable)) return false;
    if (variable.has_lengths && evidence_.has(ProblemFeature::Of::lengths)) return false;
    if (variable.of(evidence_.least.shape) > 1) return true;
    const index whole = variable.is_long ? 128 : 8;
    return inquiry_.fails(with(evidence_.base, variable, whole)) == false;
  }

  /// True if the error is far beyond its bound. An error of a few bounds comes and goes with inputs, not with extents.
  bool is_far_off() const {
    constexpr double few = 8;
    const auto& worst = evidence_.verdict.worst;
    return !worst || !(worst->r_prob < few);
  }

  /// True if the variable cannot be moved by itself: a condition ties the extent that it changes to another one.
  bool is_tied(const Variable& variable) const {
    const Problem& base = evidence_.base;
    const Problem next = with(base, variable, variable.of(base.shape) + 1);
    return std::ranges::any_of(evidence_.conditions, [&](const Condition& condition) {
      return condition.form == Condition::Form::like_other &&
             condition.other->of(next.shape) != condition.other->of(base.shape);
    });
  }

  /// True if another condition says so with the extents the other way round.
  bool is_said(const Condition& condition) const {
    return std::ranges::any_of(evidence_.conditions, [&](const Condition& other) {
      return condition.other && other.variable == condition.other && other.other == condition.variable;
    });
  }

  void find_conditions() {
    for (const Variable& variable : variables()) {
      if (!may_matter(variable)) continue;
      const auto condition = narrowed(inquiry_, variable, {evidence_.base, moved_, evidence_.least});
      const auto holds = [&](const Problem& problem) { return condition->holds(problem); };
      if (!condition || !std::ranges::all_of(failure_.failing, holds)) continue;
      if (is_said(*condition)) continue;
      found_.only_if.push_back(condition->text());
      evidence_.conditions.push_back(*condition);
    }
  }

  bool all_conditions_hold(const Problem& problem, const Condition* but = nullptr) const {
    return std::ranges::all_of(evidence_.conditions, [&](const Condition& condition) {
      return &condition == but || condition.holds(problem);
    });
  }

  bool fails_somewhere(const std::vector<Problem>& problems) {
    return std::ranges::any_of(problems, [&](const Problem& problem) { return fresh_.fails(problem) == true; });
  }

  /// Takes back what a fresh problem shows to be false: it fails without the feature, or where the condition does not
  /// hold.
  void refute() {
    std::uint64_t seed = 1;
    std::vector<ProblemFeature> features;
    for (ProblemFeature& feature : evidence_.features) {
      std::vector<Problem> without = fresh_problems(
          evidence_.base, [&](const Problem& p) { return all_conditions_hold(p); }, most_fresh, ++seed);
      for (Problem& problem : without) feature.remove(problem);
      if (fails_somewhere(without))
        std::erase(found_.only_with, feature.says);
      else
        features.push_back(std::move(feature));
    }
    evidence_.features = std::move(features);
    std::vector<Condition> conditions;
    found_.only_if.clear();
    for (const Condition& condition : evidence_.conditions) {
      const auto without = [&](const Problem& p) { return !condition.holds(p) && all_conditions_hold(p, &condition); };
      if (fails_somewhere(fresh_problems(evidence_.base, without, most_fresh, ++seed))) continue;
      found_.only_if.push_back(condition.text());
      conditions.push_back(condition);
    }
    evidence_.conditions = std::move(conditions);
  }

  /// True if what must come of the calls comes of them with other inputs as well. An error of a few bounds comes and
  /// goes: what is said of it is asked more often.
  bool stay_true(const std::vector<Prediction>& predictions) {
    const std::uint64_t rounds = is_far_off() ? 2 : 6;
    for (std::uint64_t round = 1; round <= rounds; ++round)
      for (Prediction prediction : predictions) {
        const bool is_plain = prediction.of == Prediction::Of::fails || prediction.of == Prediction::Of::passes;
        if (!is_plain || prediction.call.inputs || prediction.call.fresh) continue;
        prediction.call.problem.seed += 1000 * round;
        if (!comes_true(fresh_, prediction)) return false;
      }
    return true;
  }

  void find_pattern() {
    std::vector<WrongAnswer> answers;
    std::vector<Problem> problems = fresh_problems(
        evidence_.base, [&](const Problem& p) { return all_conditions_hold(p); }, most_fresh / 4, 0);
    problems.insert(problems.end(), {with_seed(evidence_.base, 11), with_seed(moved_, 12), with_seed(moved_, 13)});
    for (const Problem& problem : problems) {
      auto heard = inquiry_.hear(FurtherCall{problem});
      if (heard && inquiry_.is_alike(*heard) == true && !heard->errors.empty())
        answers.push_back({problem, std::move(heard->errors)});
    }
    found_.pattern = common_pattern(answers);
  }

  void name_kinds(bool of_calls) {
    for (const auto& [name, kind] : Registry<KindOfFault>::all()) {
      if (kind.of_calls != of_calls || !(kind.of_any_property || failure_.of_bound)) continue;
      for (const std::vector<Prediction>& predictions : kind.predictions(evidence_)) {
        const auto came_true = [&](const Prediction& p) { return comes_true(inquiry_, p); };
        if (!std::ranges::all_of(predictions, came_true) || !stay_true(predictions)) continue;
        found_.kinds.push_back(
            {std::string(kind.name), std::string(kind.says), std::string(kind.look_at), std::ssize(predictions)});
        break;
      }
    }
  }

  Inquiry inquiry_;
  Inquiry fresh_;  ///< of what is asked when something could be said, to see whether it is false
  const FailureToExplain& failure_;
  FailureFacts evidence_;
  Problem moved_;  ///< fails like the base, with every extent a little more, as far as it may be
  Circumstances found_;
};

}  // namespace

Circumstances circumstances_of(const AskKernel& ask, const FailureToExplain& failure) {
  return Search(ask, failure).found();
}

}  // namespace attestone::inline conformance
