// SPDX-License-Identifier: Apache-2.0
// The features of a problem.
#include "conformance/problems/coverage.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>

#include "reference/call/visible_pairs.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

void collect_rules(const Mask& mask, std::set<std::string>& rules) {
  if (mask.kind() == Mask::Kind::rule)
    rules.insert(mask.rule());
  else
    rules.insert(mask.kind() == Mask::Kind::not_ ? "~" : mask.kind() == Mask::Kind::and_ ? "&" : "|");
  for (const Mask& part : mask.parts()) collect_rules(part, rules);
}

bool has_rule(const Problem& problem, const char* rule) {
  std::set<std::string> rules;
  collect_rules(problem.mask, rules);
  return rules.count(rule) > 0;
}

/// Each bias by formula.
std::vector<Feature> formulas() {
  std::vector<Feature> all;
  for (const auto& [name, rule] : Registry<BiasRule>::all())
    all.push_back({rule.name, rule.noun, [name = name](const Problem& p) { return p.score.has(name); }});
  return all;
}

/// The layouts of a problem, including those of single tensors.
std::set<std::string> layouts_of(const Problem& problem) {
  std::set<std::string> layouts{problem.layout};
  for (const TensorLayout& own : problem.tensor_layouts) layouts.insert(own.layout);
  return layouts;
}

std::vector<Feature> all_features() {
  std::vector<Feature> all{
      {"causal", "a mask that uses causal", [](const Problem& p) { return has_rule(p, "causal"); }},
      {"window", "a mask that uses a window", [](const Problem& p) { return has_rule(p, "window"); }},
      {"softcap", "softcap", [](const Problem& p) { return p.score.softcap().has_value(); }},
      {"bias", "a bias tensor", [](const Problem& p) { return p.score.bias_tensor().has_value(); }},
      {"sink", "sinks", [](const Problem& p) { return p.score.has_sink(); }},
      {"gqa", "more query heads than kv heads", [](const Problem& p) { return p.shape.heads != p.shape.kv_heads; }},
      {"ragged", "sequences of different lengths",
       [](const Problem& p) { return !p.lengths.empty() || !p.query_lengths.empty(); }},
      {"empty_rows", "a query that sees no key", has_empty_row},
      {"decode", "one query", [](const Problem& p) { return p.shape.queries == 1; }},
      {"cross", "queries and keys differ in number", [](const Problem& p) { return p.shape.queries != p.shape.keys; }},
      {"value_dim", "value_dim is not dim", [](const Problem& p) { return p.shape.value_dim != p.shape.dim; }},
      {"odd_dim", "dim is no multiple of 8", [](const Problem& p) { return p.shape.dim % 8 != 0; }},
      {"scale", "a scale other than 1/sqrt(dim)", [](const Problem& p) { return p.given_scale.has_value(); }},
      {"dropout", "dropout", [](const Problem& p) { return p.dropout != 0; }},
      {"backward", "gradients", [](const Problem& p) { return p.backward; }},
      {"strides", "a layout other than bhsd",
       [](const Problem& p) { return layouts_of(p) != std::set<std::string>{"bhsd"}; }},
  };
  const auto bias = std::ranges::find(all, "bias", &Feature::name);
  std::ranges::copy(formulas(), std::inserter(all, bias));
  return all;
}

}  // namespace

const std::vector<Feature>& features() {
  static const std::vector<Feature> all = all_features();
  return all;
}

std::string dtype_text(const Problem& problem) {
  const std::string input(problem.input.name);
  return problem.input == problem.output ? input : input + ">" + std::string(problem.output.name);
}

std::vector<std::string> features_of(const Problem& problem) {
  std::vector<std::string> names;
  for (const Feature& feature : features())
    if (feature.present(problem)) names.emplace_back(feature.name);
  names.push_back("dtype=" + dtype_text(problem));
  std::set<std::string> rules;
  collect_rules(problem.mask, rules);
  for (const std::string& rule : rules) names.push_back("mask=" + rule);
  for (const std::string& layout : layouts_of(problem)) names.push_back("layout=" + layout);
  names.push_back("fill=" + problem.fill.name);
  if (problem.spare_rows > 0) names.emplace_back("spare_rows");
  if (!problem.deterministic) names.emplace_back("deterministic=0");
  for (const std::string& answer : names_of(problem.wants)) names.push_back("wants=" + answer);
  if (problem.threads > 0) names.emplace_back("threads");
  return names;
}

}  // namespace attestone::inline conformance
