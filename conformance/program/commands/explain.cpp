// SPDX-License-Identifier: Apache-2.0
// attestone explain: what a name, a word of a problem, or the reason of a verdict means.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string>

#include "conformance/problems/design.hpp"
#include "conformance/problems/fill.hpp"
#include "conformance/problems/suite.hpp"
#include "conformance/program/commands.hpp"
#include "conformance/program/commands/vocabulary.hpp"
#include "reference/problem/problem_fields.hpp"
#include "reference/problem/to_come.hpp"
#include "reference/registry.hpp"
#include "reference/scores/score_words.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline conformance {
namespace {

/// A problem with this value of a field; nothing if it is none.
std::optional<Problem> problem_with(const std::string& field, const std::string& value, const std::string& shape) {
  if (value.empty() || value.find_first_of(" ,") != std::string::npos) return std::nullopt;
  try {
    return parse_problem(fmt::format("shape={} {}={}", shape, field, value));
  } catch (const UserError&) {
    return std::nullopt;
  }
}

void collect_rules(const Mask& mask, std::set<std::string>& rules, index& largest) {
  if (mask.kind() == Mask::Kind::rule) rules.insert(mask.rule());
  for (const index argument : mask.arguments()) largest = std::max(largest, argument);
  for (const Mask& part : mask.parts()) collect_rules(part, rules, largest);
}

/// Two queries fewer than keys, so that it shows which ends are aligned; large enough for the mask's own numbers.
std::optional<std::string> explained_mask(const std::string& word) {
  const auto parsed = problem_with("mask", word, "1x1x1x1x1");
  if (!parsed) return std::nullopt;
  std::set<std::string> rules;
  index largest = 0;
  collect_rules(parsed->mask, rules, largest);
  const index keys = std::clamp<index>(2 * largest + 4, 8, 24), queries = keys - 2;
  const auto shown = problem_with("mask", word, fmt::format("1x1x{}x{}x1", queries, keys));
  if (!shown) return std::nullopt;
  std::string text = fmt::format("{} (mask)\n", shown->mask.text());
  for (const std::string& rule : rules)
    if (const MaskRule* known = Registry<MaskRule>::find(rule)) text += fmt::format("  {}: {}\n", rule, known->summary);
  text += fmt::format("  {} queries of {} keys; '#' is a key that the query sees\n", queries, keys);
  for (index i = 0; i < queries; ++i) {
    std::string row;
    for (index j = 0; j < keys; ++j) row += shown->visible({0, 0, i, j}) ? '#' : '.';
    text += fmt::format("    q{:<3} {}\n", i, row);
  }
  return text;
}

std::optional<std::string> explained_score(const std::string& word) {
  const auto parsed = problem_with("score", word, "1x1x4x4x4");
  if (!parsed) return std::nullopt;
  std::string text = fmt::format("{} (score)\n", parsed->score.text());
  for (const ScoreTerm& term : parsed->score.terms()) {
    text += fmt::format("  {}: {}\n", term.rule, score_word(term.rule)->summary);
    if (term.rule == "softcap")
      for (const double score : {-100.0, -10.0, -1.0, 1.0, 10.0, 100.0})
        text += fmt::format("    a score of {:>4} becomes {:.5g}\n", score,
                            term.argument * std::tanh(score / term.argument));
    if (!term.kind.empty())
      text += fmt::format("    {}: which axes its tensor has; along the others it repeats\n", term.kind);
  }
  return text;
}

std::optional<std::string> explained_fill(const std::string& word) {
  const std::string name = word.substr(0, word.find(':'));
  const Fill* fill = Registry<Fill>::find(name);
  if (!fill || std::count(word.begin(), word.end(), ':') > fill->argument_count) return std::nullopt;
  return fmt::format("{} (fill)\n  aimed at {}\n{}", word, fill->aim,
                     fill->arguments.empty() ? "" : fmt::format("  written {}:{}\n", fill->name, fill->arguments));
}

std::string explained_format(const char* tensor, const Format& format) {
  std::string text = fmt::format("  {}: {}, {}\n", tensor, format.dtype.name, format.dtype.summary);
  for (const Granularity& known : granularities())
    if (format.granularity == known.name) return text + fmt::format("    times {}\n", known.meaning);
  if (format.granularity.empty()) return text;
  return text + fmt::format("    times one scale for each {} channels of a row\n", format.granularity);
}

std::optional<std::string> explained_dtype(const std::string& word) {
  if (const DType* format = Registry<DType>::find(word); format && format->needs_scales)
    return fmt::format("{} (dtype)\n  {}\n  needs a scale for each block of elements, as in {}:token\n", word,
                       format->summary, word);
  auto parsed = problem_with("dtype", word, "1x1x4x4x4");
  if (!parsed && word.find('>') == std::string::npos) parsed = problem_with("dtype", word + ">f32", "1x1x4x4x4");
  if (!parsed) return std::nullopt;
  std::string inputs = fmt::format("  inputs: {}, {}\n", parsed->input.name, parsed->input.summary);
  if (!parsed->formats.empty()) {
    inputs.clear();
    const char* tensors[] = {"query", "key", "value"};
    for (std::size_t i = 0; i < parsed->formats.size(); ++i) inputs += explained_format(tensors[i], parsed->formats[i]);
  }
  return fmt::format("{} (dtype)\n{}  O and gradients: {}, {}\n", word, inputs, parsed->output.name,
                     parsed->output.summary);
}

std::optional<std::string> explained_layout(const std::string& word) {
  const auto parsed = problem_with("layout", word, "1x1x4x4x4");
  if (!parsed) return std::nullopt;
  const auto summary = [](const std::string& name) {
    if (const Layout* layout = Registry<Layout>::find(name)) return layout->summary;
    for (const LayoutToCome& later : layouts_to_come())
      if (later.name == name) return later.summary;
    return std::string_view();
  };
  std::string text = fmt::format("{} (layout)\n  {}\n", word, summary(parsed->layout));
  for (const TensorLayout& own : parsed->tensor_layouts)
    text += fmt::format("  {}: {}\n", attestone::text(own.tensor), summary(own.layout));
  return text;
}

/// Any other field with a value.
std::optional<std::string> explained_field(const std::string& field, const std::string& value) {
  for (const ProblemField& known : problem_field_table()) {
    if (known.help.name != field) continue;
    try {
      Scanner in(value);
      Problem problem;
      known.read(in, problem);
      if (in.done()) return fmt::format("{}={} (field)\n  {}\n", field, value, known.help.meaning);
    } catch (const UserError&) {
    }
  }
  return std::nullopt;
}

/// "window:4:0", "causal&~window:2:2": a picture of the mask. "softcap:30": what it does to some scores. "bias:head",
/// "outliers:8", "bf16>f32": what the word means. A field's name may stand before it, as in coverage: "mask=causal".
/// Nothing for what is no value of a field.
std::optional<std::string> explained_problem_word(const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string field = equals == std::string::npos ? "" : word.substr(0, equals);
  const std::string value = equals == std::string::npos ? word : word.substr(equals + 1);
  const std::pair<const char*, std::optional<std::string> (*)(const std::string&)> ways[] = {
      {"mask", explained_mask},
      {"score", explained_score},
      {"fill", explained_fill},
      {"dtype", explained_dtype},
      {"layout", explained_layout}};
  for (const auto& [name, explained] : ways)
    if (field.empty() || field == name) {
      const auto text = explained(value);
      if (text || field == name) return text;
    }
  return explained_field(field, value);
}

std::string explained_design(const std::string& line) {
  const Design design = designed(design_options(line));
  std::string text = fmt::format(
      "{} (design)\n  {} problems, in which every two regimes of {} axes meet, but for {} combinations that cannot:\n",
      line, design.problems.size(), axes_in_turn().size(), design.impossible.size());
  for (const std::string& combination : design.impossible) text += fmt::format("    {}\n", combination);
  return text;
}

}  // namespace

ExitStatus explain_command(const std::string& id) {
  if (id.starts_with("design=")) {
    fmt::print("{}", explained_design(id));
    return ExitStatus::ok;
  }
  std::vector<std::string> names;
  bool found = false;
  for (const auto& [kind, words] : vocabulary())
    for (const Word& word : words) {
      const std::string bare = word.name.substr(0, word.name == id ? std::string::npos : word.name.find(':'));
      names.push_back(bare);
      if (bare != id) continue;
      found = true;
      fmt::print("{} ({})\n  {}\n{}", word.name, kind, word.meaning, word.details);
      if (kind == "suites") fmt::print("  {} problems\n", load_suite(word.name).size());
    }
  const bool with_arguments = id.find_first_of(":=&|~>") != std::string::npos;
  if (const auto text = found && !with_arguments ? std::nullopt : explained_problem_word(id)) {
    fmt::print("{}", *text);
    found = true;
  }
  // "mask=&" of coverage is the operator.
  if (const auto equals = id.find('='); !found && equals != std::string::npos)
    return explain_command(id.substr(equals + 1));
  if (found) return ExitStatus::ok;
  const std::string hint = did_you_mean(id, names);
  throw UserError(
      "nothing is called '" + id + "'", Place{id, 0, id.size()},
      hint.starts_with("known:") ? "attestone list shows the kinds of names, attestone list KIND their names" : hint);
}

}  // namespace attestone::inline conformance
