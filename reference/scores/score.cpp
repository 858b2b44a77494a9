// SPDX-License-Identifier: Apache-2.0
// How score terms are ordered and printed.
#include "reference/scores/score.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/registry.hpp"

namespace attestone {

std::string ScoreTerm::text() const {
  if (argument != 0) return fmt::format("{}:{}", rule, argument);
  return kind.empty() ? rule : fmt::format("{}:{}", rule, kind);
}

bool Score::takes(std::string_view rule) const {
  if (rule == "softcap") return !softcap_;
  if (rule == "sink") return !sink_;
  return !bias_;
}

void Score::add(const ScoreTerm& term) {
  require(takes(term.rule), "a problem has one softcap, one bias and one sink at most");
  if (term.rule == "softcap") {
    softcap_ = term.argument;
  } else if (term.rule == "sink") {
    sink_ = term.kind;
  } else {
    require(term.rule == "bias" || Registry<BiasRule>::find(term.rule), "a bias is a tensor or a registered formula");
    bias_ = term;
  }
}

Score Score::without(std::string_view rule) const {
  Score rest;
  for (const ScoreTerm& term : terms())
    if (term.rule != rule) rest.add(term);
  return rest;
}

std::vector<ScoreTerm> Score::terms() const {
  std::vector<ScoreTerm> all;
  if (softcap_) all.push_back({"softcap", *softcap_});
  if (bias_) all.push_back(*bias_);
  if (sink_) all.push_back({"sink", 0, *sink_});
  return all;
}

bool Score::has(std::string_view rule) const {
  const std::vector<ScoreTerm> all = terms();
  return std::ranges::any_of(all, [&](const ScoreTerm& term) { return term.rule == rule; });
}

std::optional<std::string_view> Score::bias_tensor() const {
  return bias_ && !bias_->kind.empty() ? std::optional<std::string_view>(bias_->kind) : std::nullopt;
}

std::string Score::text() const {
  std::vector<std::string> texts;
  for (const ScoreTerm& term : terms()) texts.push_back(term.text());
  return fmt::format("{}", fmt::join(texts, "&"));
}

}  // namespace attestone
