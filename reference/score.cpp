// SPDX-License-Identifier: Apache-2.0
// How score terms are ordered, applied and printed.
#include "reference/score.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "reference/registry.hpp"

namespace attestone {
namespace {

const ScoreRule& rule_of(const ScoreTerm& term) {
  const ScoreRule* rule = Registry<ScoreRule>::find(term.rule);
  require(rule, "a score term names a registered rule");
  return *rule;
}

}  // namespace

void Score::add(ScoreTerm term) {
  const auto stage_of = [](const ScoreTerm& any) { return rule_of(any).stage; };
  require(!this->term(stage_of(term)), "a problem has at most one score term of each stage");
  const auto after = std::find_if(terms_.begin(), terms_.end(),
                                  [&](const ScoreTerm& other) { return stage_of(term) < stage_of(other); });
  terms_.insert(after, std::move(term));
}

bool Score::has(std::string_view rule) const {
  return std::any_of(terms_.begin(), terms_.end(), [&](const ScoreTerm& term) { return term.rule == rule; });
}

const ScoreTerm* Score::term(ScoreRule::Stage stage) const {
  for (const ScoreTerm& term : terms_)
    if (rule_of(term).stage == stage) return &term;
  return nullptr;
}

std::optional<double> Score::softcap() const {
  const ScoreTerm* cap = term(ScoreRule::Stage::cap);
  return cap ? std::optional(cap->argument) : std::nullopt;
}

std::optional<std::string_view> Score::bias_tensor() const {
  const ScoreTerm* bias = term(ScoreRule::Stage::bias);
  return bias && !bias->kind.empty() ? std::optional<std::string_view>(bias->kind) : std::nullopt;
}

std::string Score::text() const {
  std::string all;
  for (const ScoreTerm& term : terms_) {
    if (!all.empty()) all += '&';
    all += term.rule;
    if (rule_of(term).argument == ScoreRule::Argument::number) all += fmt::format(":{}", term.argument);
    if (!term.kind.empty()) all += ":" + term.kind;
  }
  return all;
}

}  // namespace attestone
