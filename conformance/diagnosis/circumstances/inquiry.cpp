// SPDX-License-Identifier: Apache-2.0
// Judging further calls, and counting them.
#include "conformance/diagnosis/circumstances/inquiry.hpp"

#include <algorithm>
#include <array>

#include "conformance/diagnosis/work.hpp"
#include "conformance/verdict/shrink.hpp"

namespace attestone::inline conformance {
namespace {

// Multiply-adds of one call: a fraction of a second of certified truth.
constexpr double most_work = 0x1p23;
constexpr index most_calls = 96;
// The most work in all calls about one failure.
constexpr double most_work_in_all = 0x1p28;
// The work of a row in addition to its pairs.
constexpr double work_of_row = 64;

double work_of(const Problem& problem) {
  return multiply_adds(problem.shape) + work_of_row * static_cast<double>(problem.shape.rows());
}

/// Reasons that are the same fault seen in other elements.
std::string_view family(std::string_view reason) {
  constexpr std::array<std::string_view, 4> numbers{"wrong-number", "wrong-log-sum-exp", "wrong-gradient",
                                                    "wrong-non-finite"};
  return std::ranges::find(numbers, reason) == numbers.end() ? reason : numbers.front();
}

}  // namespace

std::optional<Heard> Inquiry::hear(const FurtherCall& call) {
  const double work = work_of(call.problem);
  if (calls_ >= most_calls || work > most_work || work_ + work > most_work_in_all || !is_consistent(call.problem))
    return std::nullopt;
  ++calls_, work_ += work;
  return ask_(call);
}

std::optional<bool> Inquiry::is_alike(const Heard& heard) const {
  const Verdict& verdict = heard.verdict;
  if (verdict.outcome == Outcome::passed) return false;
  if (verdict.outcome == Outcome::failed && family(verdict.reason) == family(reason_)) return true;
  return std::nullopt;
}

std::optional<bool> Inquiry::fails(const FurtherCall& call) {
  const auto heard = hear(call);
  return heard ? is_alike(*heard) : std::nullopt;
}

std::optional<bool> Inquiry::fails(const Problem& problem) {
  const auto [known, is_new] = known_.try_emplace(problem.text());
  if (is_new) known->second = fails(FurtherCall{problem});
  return known->second;
}

std::optional<bool> Inquiry::fails_with_some_seed(Problem problem) {
  const auto first = fails(problem);
  if (first.value_or(false)) return true;
  const auto second = fails(with_seed(std::move(problem), 1));
  return second.value_or(false) || !first ? second : first;
}

Problem with_seed(Problem problem, std::uint64_t more) {
  problem.seed += more;
  return problem;
}

}  // namespace attestone::inline conformance
