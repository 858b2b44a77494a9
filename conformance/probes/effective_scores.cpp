// SPDX-License-Identifier: Apache-2.0
// Reading scores back through the ratio of two weights.
#include "conformance/probes/effective_scores.hpp"

#include <cmath>
#include <optional>

#include "conformance/fill.hpp"
#include "conformance/probes/two_keys.hpp"
#include "conformance/trial.hpp"

namespace attestone {
namespace {

// Scores are shown with four digits.
constexpr double last_digit_shown = 1e-3;

/// The weight of `key`, where only K of the moved key is not 0: <q, k> = q_k there.
double weight_of(Trial& trial, const TwoKeys& at, index key, double q_k) {
  const Problem& problem = trial.problem();
  const Inputs inputs = filled(problem, [&](const Element& e) {
    if (e.role == Role::value) return e.row == key ? 1.0 : 0.0;
    if (e.role == Role::key) return e.row == at.moved && e.channel == 0 ? q_k : 0.0;
    return e.channel == 0 ? 1.0 : 0.0;
  });
  return trial.run(inputs).outputs.out.view().value(at.batch, at.head, at.query, 0);
}

}  // namespace

std::vector<ScoreReadOut> wrong_scores(const AnyKernel& kernel, const Problem& problem) {
  if (problem.score.has_bias() || problem.dropout > 0) return {};
  const std::optional<TwoKeys> at = two_keys(problem);
  if (!at) return {};
  Problem forward = problem;
  forward.backward = false;
  Trial trial(kernel, forward);
  std::vector<ScoreReadOut> wrong;
  for (const double score : {-4.0, -1.0, 1.0, 4.0}) {
    const double q_k = forward.input.round(score / forward.scale()), raw = q_k * forward.scale();
    const auto cap = forward.score.softcap();
    const double right = cap ? *cap * std::tanh(raw / *cap) : raw;
    const double got = std::log(weight_of(trial, *at, at->moved, q_k) / weight_of(trial, *at, at->still, q_k));
    // Two weights, each rounded to the input's format and then to the output's.
    const double explained = 2 * (forward.input.unit_roundoff() + forward.output.unit_roundoff());
    if (!(std::abs(got - right) <= explained + last_digit_shown)) wrong.push_back({q_k, got, right});
  }
  return wrong;
}

}  // namespace attestone
