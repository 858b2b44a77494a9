// SPDX-License-Identifier: Apache-2.0
// Which answers are asked for, and which are not there.
#include <algorithm>
#include <iterator>

#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Answers = std::vector<TensorName>;

/// The gradients that there are but for one.
Answers gradients_without(const Problem& problem, TensorName left_out) {
  Answers all{TensorName::dquery, TensorName::dkey, TensorName::dvalue};
  if (problem.score.bias_tensor()) all.push_back(TensorName::dbias);
  if (problem.score.has_sink()) all.push_back(TensorName::dsink);
  std::erase(all, left_out);
  return all;
}

/// The answers that there are.
Answers all_answers(const Problem& problem) {
  Answers all{TensorName::out, TensorName::log_sum_exp};
  if (problem.backward) std::ranges::copy(gradients_without(problem, TensorName::out), std::back_inserter(all));
  return all;
}

void want_some(Problem& problem, Draws& draws) {
  const bool one_is_missing = problem.backward && draws.chance(0.5);
  problem.wants =
      one_is_missing
          ? gradients_without(problem, draws.one_of(Answers{TensorName::dquery, TensorName::dkey, TensorName::dvalue}))
          : Answers{draws.one_of(all_answers(problem))};
}

std::vector<Regime> regimes() {
  return {{"all", [](Problem&, Draws&) {}, [](const Problem& problem) { return problem.wants.empty(); }},
          {"some", want_some, [](const Problem& problem) { return !problem.wants.empty(); }, true}};
}

const Registration<Axis> registered{{
    .name = "wants",
    .aim = "answers that are computed beside others, or written where nobody asks for them",
    .turn = 17,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone::inline conformance
