// SPDX-License-Identifier: Apache-2.0
// Reading weights back through V.
#include "conformance/probes/effective_mask.hpp"

#include <algorithm>
#include <cmath>

#include "conformance/diagnosis/definition.hpp"
#include "conformance/fill.hpp"
#include "conformance/trial.hpp"
#include "reference/dropout.hpp"
#include "reference/visible_pairs.hpp"

namespace attestone {
namespace {

constexpr index widest_picture = 48, tallest_picture = 48;

std::vector<bool> right_row(const VisiblePairs& visible, const Dropout& dropout, const Pair& query, index keys) {
  std::vector<bool> row;
  for (index j = 0; j < keys; ++j) {
    const Pair at{query.batch, query.head, query.query, j};
    row.push_back(visible(at) && (!dropout || dropout.keeps(at)));
  }
  return row;
}

/// Whether every weight that should be more than 0 stays so in the formats of the problem, as ALiBi's may not.
bool weights_survive(const Problem& problem, const Inputs& inputs) {
  const double smallest = 8 * std::max(problem.input.underflow(), problem.output.underflow());
  const DefinedAnswer answer = Definition(problem, inputs).forward();
  return std::ranges::all_of(answer.out, [&](double weight) { return weight == 0 || weight > smallest; });
}

char drawn(double weight) { return std::isnan(weight) ? '?' : weight != 0 ? '#' : '.'; }

}  // namespace

Inputs weights_shown(const Problem& problem, index first) {
  return filled(problem, [&problem, first, others = normal_others(problem)](const Element& at) {
    if (at.role == Role::query) return 0.0;
    if (at.role == Role::key) return draw_for(problem, at).normal();
    return at.role == Role::value ? (at.row == first + at.channel ? 1.0 : 0.0) : others(at);
  });
}

bool MaskReadOut::agrees() const {
  for (std::size_t i = 0; i < weight.size(); ++i)
    for (std::size_t j = 0; j < weight[i].size(); ++j)
      if (drawn(weight[i][j]) != (right[i][j] ? '#' : '.')) return false;
  return true;
}

std::vector<std::string> MaskReadOut::picture() const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    std::string expected, used;
    for (const bool visible : right[i]) expected += visible ? '#' : '.';
    for (const double w : weight[i]) used += drawn(w);
    lines.push_back(expected + "   " + used + (expected == used ? "" : "   <"));
  }
  return lines;
}

std::optional<MaskReadOut> wrong_mask(const AnyKernel& kernel, const Problem& problem) {
  const Shape& s = problem.shape;
  if (s.keys == 0 || s.keys > widest_picture || s.queries > tallest_picture) return std::nullopt;
  Problem forward = problem;
  forward.backward = false;
  Trial trial(kernel, forward);
  std::vector<Outputs> parts;
  for (index first = 0; first < s.keys; first += s.value_dim) {
    const Inputs inputs = weights_shown(forward, first);
    if (!weights_survive(forward, inputs)) return std::nullopt;
    parts.push_back(trial.run(inputs).outputs);
  }
  const VisiblePairs visible(forward, weights_shown(forward, 0));
  const Dropout dropout(forward);
  for (index b = 0; b < s.batch; ++b)
    for (index h = 0; h < s.heads; ++h) {
      MaskReadOut read{b, h, {}, {}};
      for (index i = 0; i < parts.front().out.view().rows(b); ++i) {
        read.right.push_back(right_row(visible, dropout, {b, h, i, 0}, s.keys));
        std::vector<double>& row = read.weight.emplace_back();
        for (index j = 0; j < s.keys; ++j)
          row.push_back(parts[static_cast<std::size_t>(j / s.value_dim)].out.view().value(b, h, i, j % s.value_dim));
      }
      if (!read.agrees()) return read;
    }
  return std::nullopt;
}

}  // namespace attestone
