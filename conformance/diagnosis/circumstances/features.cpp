// SPDX-License-Identifier: Apache-2.0
// The fields of a problem that are not their defaults, in words.
#include "conformance/diagnosis/circumstances/features.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/problems/coverage.hpp"

namespace attestone::inline conformance {
namespace {

using Of = ProblemFeature::Of;

std::string term_in_words(const ScoreTerm& term) {
  if (term.rule == "sink") return "a sink";
  if (term.rule == "bias") return fmt::format("a bias tensor, as {}", term.text());
  return term.rule;
}

void add_scores(const Problem& problem, std::vector<ProblemFeature>& all) {
  for (const ScoreTerm& term : problem.score.terms())
    all.push_back({Of::score, term_in_words(term), [rule = term.rule](Problem& p) { p.score = p.score.without(rule); },
                   [rule = term.rule](const Problem& p) { return p.score.has(rule); }});
}

void add_numbers(const Problem& problem, std::vector<ProblemFeature>& all) {
  if (problem.given_scale)
    all.push_back({Of::number, fmt::format("a given scale, as {}", *problem.given_scale),
                   [](Problem& p) { p.given_scale.reset(); },
                   [](const Problem& p) { return p.given_scale.has_value(); }});
  if (problem.dropout != 0)
    all.push_back(
        {Of::number, "dropout", [](Problem& p) { p.dropout = 0; }, [](const Problem& p) { return p.dropout != 0; }});
}

void add_lengths(const Problem& problem, std::vector<ProblemFeature>& all) {
  if (!problem.lengths.empty())
    all.push_back({Of::lengths, fmt::format("lengths of keys, as {}", fmt::join(problem.lengths, "+")),
                   [](Problem& p) { p.lengths.clear(); }, [](const Problem& p) { return !p.lengths.empty(); }});
  if (!problem.query_lengths.empty())
    all.push_back({Of::lengths, fmt::format("lengths of queries, as {}", fmt::join(problem.query_lengths, "+")),
                   [](Problem& p) { p.query_lengths.clear(); },
                   [](const Problem& p) { return !p.query_lengths.empty(); }});
}

void add_layouts(const Problem& problem, std::vector<ProblemFeature>& all) {
  if (problem.layout != "bhsd")
    all.push_back({Of::layout, "layout=" + problem.layout,
                   [](Problem& p) { p.layout = "bhsd", p.layout_arguments.clear(); },
                   [name = problem.layout](const Problem& p) { return p.layout == name; }});
  for (const TensorLayout& own : problem.tensor_layouts)
    all.push_back({Of::layout, fmt::format("{} laid out by itself", text(own.tensor)),
                   [own](Problem& p) { std::erase(p.tensor_layouts, own); },
                   [own](const Problem& p) {
                     for (const TensorLayout& other : p.tensor_layouts)
                       if (other.tensor == own.tensor) return true;
                     return false;
                   }});
  if (problem.spare_rows > 0)
    all.push_back({Of::layout, "spare rows behind each sequence", [](Problem& p) { p.spare_rows = 0; },
                   [](const Problem& p) { return p.spare_rows > 0; }});
}

}  // namespace

std::vector<ProblemFeature> features_beside_extents(const Problem& problem) {
  std::vector<ProblemFeature> all;
  add_lengths(problem, all);
  if (!problem.mask.is_full())
    all.push_back({Of::mask, "a mask, as " + problem.mask.text(), [](Problem& p) { p.mask = Mask(); },
                   [](const Problem& p) { return !p.mask.is_full(); }});
  add_scores(problem, all);
  add_numbers(problem, all);
  if (dtype_text(problem) != "f32")
    all.push_back({Of::format, "dtype=" + dtype_text(problem),
                   [](Problem& p) { p.input = p.output = dtype("f32"), p.formats.clear(); },
                   [name = dtype_text(problem)](const Problem& p) { return dtype_text(p) == name; }});
  add_layouts(problem, all);
  if (problem.fill.name != "normal")
    all.push_back({Of::fill, "fill=" + problem.fill.name, [](Problem& p) { p.fill = {}; },
                   [name = problem.fill.name](const Problem& p) { return p.fill.name == name; }});
  if (!problem.deterministic)
    all.push_back({Of::schedule, "deterministic=0", [](Problem& p) { p.deterministic = true; },
                   [](const Problem& p) { return !p.deterministic; }});
  return all;
}

}  // namespace attestone::inline conformance
