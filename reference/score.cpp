// SPDX-License-Identifier: Apache-2.0
// How score terms are ordered, applied and printed.
#include "reference/score.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "reference/registry.hpp"

namespace attestone {
namespace {

const ScoreRule& rule_of(const ScoreTerm& term) {
  const ScoreRule* rule = Registry<ScoreRule>::find(term.rule);
  require(rule, "a score term names a registered rule");
  return *rule;
}

bool applies_before(const ScoreTerm& a, const ScoreTerm& b) {
  return std::tuple(rule_of(a).stage, a.rule) < std::tuple(rule_of(b).stage, b.rule);
}

}  // namespace

void Score::add(ScoreTerm term) {
  require(!has(term.rule), "a score rule is used at most once");
  terms_.insert(std::upper_bound(terms_.begin(), terms_.end(), term, applies_before), std::move(term));
}

bool Score::has(std::string_view rule) const {
  return std::any_of(terms_.begin(), terms_.end(), [&](const ScoreTerm& term) { return term.rule == rule; });
}

std::optional<double> Score::softcap() const {
  for (const ScoreTerm& term : terms_)
    if (term.rule == "softcap") return term.argument;
  return std::nullopt;
}

bool Score::has_bias() const {
  return std::any_of(terms_.begin(), terms_.end(), [](const ScoreTerm& term) { return rule_of(term).add_biases; });
}

double Score::bias(const Shape& shape, const Sequence& sequence, const Pair& pair) const {
  double sum = 0;
  for (const ScoreTerm& term : terms_)
    if (const auto add_biases = rule_of(term).add_biases) add_biases(shape, sequence, pair, {&sum, 1});
  return sum;
}

double Score::apply(double raw_score, const Shape& shape, const Sequence& sequence, const Pair& pair) const {
  double score = raw_score;
  for (const ScoreTerm& term : terms_) {
    const ScoreRule& rule = rule_of(term);
    if (rule.cap)
      score = rule.cap(score, term.argument);
    else
      rule.add_biases(shape, sequence, pair, {&score, 1});
  }
  return score;
}

std::string Score::text() const {
  std::string all;
  for (const ScoreTerm& term : terms_) {
    if (!all.empty()) all += '&';
    all += rule_of(term).takes_number ? fmt::format("{}:{}", term.rule, term.argument) : term.rule;
  }
  return all;
}

}  // namespace attestone
