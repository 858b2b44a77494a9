// SPDX-License-Identifier: Apache-2.0
// Which answers are asked for, and which are not there.
#include <algorithm>

#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone {
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

Regime alone(const char* name, TensorName answer) {
  return {name, [=](Problem& problem, Draws&) { problem.wants = {answer}; },
          [=](const Problem& problem) { return problem.wants == Answers{answer}; }};
}

Regime without(const char* name, TensorName answer) {
  return {
      name, [=](Problem& problem, Draws&) { problem.wants = gradients_without(problem, answer); },
      [=](const Problem& problem) { return problem.backward && problem.wants == gradients_without(problem, answer); }};
}

std::vector<Regime> regimes() {
  return {{"all", [](Problem&, Draws&) {}, [](const Problem& problem) { return problem.wants.empty(); }},
          alone("out", TensorName::out),
          alone("log_sum_exp", TensorName::log_sum_exp),
          alone("query_gradient", TensorName::dquery),
          alone("key_gradient", TensorName::dkey),
          alone("value_gradient", TensorName::dvalue),
          alone("bias_gradient", TensorName::dbias),
          alone("sink_gradient", TensorName::dsink),
          without("no_query_gradient", TensorName::dquery),
          without("no_key_gradient", TensorName::dkey),
          without("no_value_gradient", TensorName::dvalue)};
}

const Registration<Axis> registered{{
    .name = "wants",
    .aim = "answers that are computed beside others, or written where nobody asks for them",
    .turn = 17,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone
