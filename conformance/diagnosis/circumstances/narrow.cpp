// SPDX-License-Identifier: Apache-2.0
// Each call is the one on which the conditions that are left disagree most.
#include "conformance/diagnosis/circumstances/narrow.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace attestone::inline conformance {
namespace {

constexpr index most_questions = 16;
// The number of predictions where a condition holds, and the number where it does not.
constexpr index answers_a_side = 4;

/// The problem on which the conditions are divided most evenly; null if they all agree on all of them.
const Problem* most_telling(const std::vector<Condition>& conditions, const std::vector<Problem>& problems) {
  const Problem* best = nullptr;
  index most = 0;
  for (const Problem& problem : problems) {
    const index yes = std::ranges::count_if(conditions, [&](const Condition& c) { return c.holds(problem); });
    const index divided = std::min(yes, std::ssize(conditions) - yes);
    if (divided > most) most = divided, best = &problem;
  }
  return best;
}

/// True if answers nearest to where the condition begins to hold, and some farthest from it, are as it says, on either
/// side: all other extents are not those by which it was found.
bool predicts(Inquiry& inquiry, const Condition& condition, std::vector<Problem> problems) {
  constexpr std::uint64_t other_inputs = 100;
  std::ranges::stable_sort(problems, {}, [&](const Problem& problem) {
    return std::abs(condition.variable->of(problem.shape) - condition.boundary(problem));
  });
  for (const bool holds : {false, true}) {
    std::vector<Problem> side;
    std::ranges::copy_if(problems, std::back_inserter(side),
                         [&](const Problem& p) { return condition.holds(p) == holds; });
    index told = 0;
    for (bool nearest = true; !side.empty() && told < answers_a_side; nearest = !nearest) {
      const Problem problem = nearest ? side.front() : side.back();
      side.erase(nearest ? side.begin() : side.end() - 1);
      const auto fails = inquiry.fails_with_some_seed(with_seed(problem, other_inputs));
      if (fails && *fails != holds) return false;
      told += fails.has_value();
    }
    if (told == 0) return false;
  }
  return true;
}

}  // namespace

std::optional<Condition> narrowed(Inquiry& inquiry, const Variable& variable, const FailingProblem& failing) {
  const auto& [base, moved, least] = failing;
  std::vector<Condition> left = conditions_on(variable, base, least);
  std::erase_if(left, [&](const Condition& condition) { return !condition.holds(failing.moved); });
  std::vector<Problem> around = problems_around(variable, base, least);
  for (index question = 0; question < most_questions;) {
    const Problem* next = most_telling(left, around);
    if (!next) break;
    const Problem problem = *next;
    const auto fails = inquiry.fails(problem);
    std::erase(around, problem);
    if (!fails) continue;
    ++question;
    std::erase_if(left, [&](const Condition& condition) { return condition.holds(problem) != *fails; });
  }
  if (left.empty() || left.front().form == Condition::Form::none || most_telling(left, around)) return std::nullopt;
  for (const Condition& condition : left)
    if (predicts(inquiry, condition, problems_around(variable, moved, least))) return condition;
  return std::nullopt;
}

}  // namespace attestone::inline conformance
