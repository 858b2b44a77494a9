// SPDX-License-Identifier: Apache-2.0
// Regimes of score terms, alone and two at a time.
#include <algorithm>
#include <utility>

#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"
#include "reference/scores/score_words.hpp"

namespace attestone::inline conformance {
namespace {

/// The score terms of one regime, and whether a problem has these and no others.
Regime terms(std::string name, const std::vector<ScoreTerm>& wanted) {
  const auto enter = [wanted](Problem& problem, Draws&) {
    problem.score = {};
    for (const ScoreTerm& term : wanted) problem.score.add(term);
  };
  const auto is = [wanted](const Problem& problem) {
    const std::vector<ScoreTerm> own = problem.score.terms();
    return std::ranges::is_permutation(own, wanted);
  };
  return {std::move(name), enter, is};
}

std::vector<Regime> regimes() {
  const ScoreTerm cap{"softcap", 5}, sink{"sink", 0, "head"};
  std::vector<Regime> all{terms("plain", {}), terms("softcap", {cap}), terms("sink", {sink}),
                          terms("softcap_and_sink", {cap, sink})};
  const auto biases = score_word("bias");
  for (const auto kind : biases->kinds) {
    const ScoreTerm bias{"bias", 0, std::string(kind)};
    all.push_back(terms("bias_" + bias.kind, {bias}));
  }
  const ScoreTerm full{"bias", 0, "full"}, head{"bias", 0, "head"};
  all.push_back(terms("softcap_and_bias", {cap, full}));
  all.push_back(terms("bias_and_sink", {head, sink}));
  for (const auto& [name, rule] : Registry<BiasRule>::all()) {
    const ScoreTerm bias{name, rule.takes_number ? rule.drawn_numbers.front() : 0};
    all.push_back(terms(name, {bias}));
    all.push_back(terms("softcap_and_" + name, {cap, bias}));
    all.push_back(terms(name + "_and_sink", {bias, sink}));
  }
  return all;
}

const Registration<Axis> registered{{
    .name = "score",
    .aim = "the order of softcap, bias and sink, their axes, and their derivatives",
    .turn = 10,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone::inline conformance
