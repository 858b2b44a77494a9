// SPDX-License-Identifier: Apache-2.0
// Attention over two parts of the keys merges into attention over all.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "conformance/properties/metamorphic/merged_row.hpp"
#include "conformance/properties/metamorphic/relation.hpp"
#include "conformance/trial/stopwatch.hpp"
#include "reference/registry.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone::inline conformance {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The keys of one side of the cut.
struct CutSide {
  index first, keys;
  bool takes_sink;  ///< a sink counts once
};

Problem with_mask(const Problem& problem, const CutSide& side, const Mask& mask) {
  Problem part = forward_of(problem);
  part.shape.keys = side.keys;
  for (index& length : part.lengths) length = std::clamp<index>(length - side.first, 0, side.keys);
  if (!side.takes_sink) part.score = part.score.without("sink");
  part.mask = mask;
  return part;
}

bool sees_its_share(const Problem& part, const VisiblePairs& all, const CutSide& side) {
  const VisiblePairs own(part);
  const auto first = static_cast<std::size_t>(side.first);
  for (index b = 0; b < part.shape.batch; ++b)
    for (index h = 0; h < part.shape.heads; ++h)
      for (index i = 0; i < part.shape.queries; ++i)
        if (!std::ranges::equal(own.row(b, h, i), all.row(b, h, i).subspan(first, own.row(b, h, i).size())))
          return false;
  return true;
}

/// A cut of its own for every seed; of a problem with at least two keys.
std::array<CutSide, 2> cut_sides(const Problem& problem) {
  const index cut = 1 + static_cast<index>(problem.seed % static_cast<std::uint64_t>(problem.shape.keys - 1));
  return {CutSide{0, cut, true}, CutSide{cut, problem.shape.keys - cut, false}};
}

/// The problem over the keys of one side: with a mask that shows that side's share of the pairs, or with a bias of
/// -infinity in place of the mask. Nothing if neither can be said.
std::optional<Problem> problem_of_side(const Problem& problem, const CutSide& side) {
  const VisiblePairs all(problem);
  for (const Mask& mask : {problem.mask, Mask("causal:top_left"), Mask()}) {
    Problem part = with_mask(problem, side, mask);
    if (sees_its_share(part, all, side)) return part;
  }
  if (problem.score.has_bias() || !problem.input.has_infinity()) return std::nullopt;
  Problem part = with_mask(problem, side, Mask());
  part.score.add({"bias", 0, "full"});
  return part;
}

/// The side's share of the inputs; `part` is its problem.
Inputs inputs_of_side(const Problem& problem, const Inputs& whole, const Problem& part, const CutSide& side) {
  Inputs inputs(part);
  const auto row = [&](const Extents& at) { return Extents{at[0], at[1], side.first + at[2], at[3]}; };
  const auto column = [&](const Extents& at) { return Extents{at[0], at[1], at[2], side.first + at[3]}; };
  copy_elements(whole.query.view(), inputs.query.view());
  copy_elements(whole.key.view(), inputs.key.view(), row);
  copy_elements(whole.value.view(), inputs.value.view(), row);
  if (inputs.sink) inputs.sink.emplace(*whole.sink);
  if (inputs.bias && whole.bias) copy_elements(whole.bias->view(), inputs.bias->view(), column);
  if (!inputs.bias || whole.bias) return inputs;
  const VisiblePairs visible(problem);
  const View bias = inputs.bias->view();
  for_each_element(bias, [&](index b, index h, index i, index j) {
    bias.set(b, h, i, j, visible({b, h, i, side.first + j}) ? 0 : -std::numeric_limits<double>::infinity());
  });
  return inputs;
}

std::string inapplicable(const Problem& problem) {
  if (problem.shape.keys < 2) return "fewer than two keys";
  if (problem.score.has_bias() && !problem.score.bias_tensor()) return "the bias follows from the place of the key";
  if (problem.dropout > 0) return "dropout draws by the place of the key";
  for (const CutSide& side : cut_sides(problem))
    if (!problem_of_side(problem, side)) return "no mask shows what one side of the cut sees";
  return without_numbers(problem);
}

/// The kernel's answer over one side.
struct SideAnswer {
  SideAnswer(Trial& trial, const CutSide& side)
      : problem(*problem_of_side(trial.problem(), side)),
        inputs(inputs_of_side(trial.problem(), trial.inputs(), problem, side)),
        conventions(trial.conventions()),
        support(trial.kernel().supports(problem)) {
    if (!support) return;
    Trial other(trial.kernel(), problem);
    outputs.emplace(other.run(inputs).outputs);
    bound.emplace(problem, inputs, other.numerics());
    trial.times.kernel += other.times.kernel;
  }

  /// A row without keys answers by convention; who merges knows it for empty.
  PartOfRow row(index batch, index head, index query) const {
    std::vector<double> out(static_cast<std::size_t>(problem.shape.value_dim));
    auto its_bound = bound->row(batch, head, query);
    if (conventions.empty_rows != EmptyRows::zero && its_bound->visible_keys() == 0) {
      const double sink = inputs.sink ? inputs.sink->view().value(0, head, 0, 0) : -infinity;
      return {sink, out, std::move(its_bound)};
    }
    RowReader(outputs->out.view()).read(batch, head, query, out);
    const double log_sum_exp = outputs->log_sum_exp.view().value(batch, head, query, 0);
    return {log_sum_exp * conventions.log_sum_exp_unit(), out, std::move(its_bound)};
  }

  Problem problem;
  Inputs inputs;
  Conventions conventions;
  Support support;
  std::optional<Outputs> outputs;
  std::optional<ForwardBound> bound;
};

/// The first element that is not that of the truth; empty if there is none.
std::string first_difference(Trial& trial, const SideAnswer& left, const SideAnswer& right) {
  const Truth& truth = trial.truth();
  const Shape& s = trial.problem().shape;
  const Stopwatch watch(trial.times.truth);
  for (index b = 0; b < s.batch; ++b)
    for (index h = 0; h < s.heads; ++h)
      for (index row = 0; row < std::ssize(truth.queries()); ++row) {
        const index i = truth.queries()[static_cast<std::size_t>(row)];
        const MergedRow merged(left.row(b, h, i), right.row(b, h, i));
        for (index c = log_sum_exp_channel; c < s.value_dim; ++c) {
          const bool is_out = c != log_sum_exp_channel;
          const Certified& right_answer = is_out ? truth.out(b, h, row, c) : truth.log_sum_exp(b, h, row);
          if (std::isnan(right_answer.value)) continue;  // of a row without keys, by convention
          const double allowed = merged.allowed(c) + right_answer.bound;
          if (!std::isfinite(allowed) || merged.got(c) == right_answer.value) continue;
          if (!(std::abs(merged.got(c) - right_answer.value) <= allowed))
            return fmt::format("{}[b{}, h{}, q{}] merges to {:.9g}, not to the {:.9g} of one call",
                               is_out ? fmt::format("channel {} of out", c) : "log_sum_exp", b, h, i, merged.got(c),
                               right_answer.value);
        }
      }
  return {};
}

Verdict check(Trial& trial) {
  if (!trial.conventions().has_log_sum_exp()) return Verdict::skipped("there is no log_sum_exp to merge by");
  const auto sides = cut_sides(trial.problem());
  const SideAnswer left(trial, sides[0]), right(trial, sides[1]);
  for (const SideAnswer* side : {&left, &right})
    if (!side->support) return Verdict::skipped(side->support.why);
  const std::string difference = first_difference(trial, left, right);
  if (difference.empty()) return Verdict::passed();
  if (!trial.compare_with_truth(trial.answer().outputs).conforms())
    return Verdict::inconclusive("wrong-anyway", "the unchanged call is wrong already");
  return Verdict::failed("split", fmt::format("cut behind {} keys: {}", sides[0].keys, difference));
}

const Registration<Property> registered{{
    .name = "splits_merge",
    .claim = "two calls over the keys before and behind a cut, merged by log_sum_exp, give the answer of one call",
    .inapplicable = inapplicable,
    .check = check,
    .needs = {TensorName::out, TensorName::log_sum_exp},
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
