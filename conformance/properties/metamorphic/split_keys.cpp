// SPDX-License-Identifier: Apache-2.0
// Saying in a problem of its own which keys one side of a cut sees.
#include "conformance/properties/metamorphic/split_keys.hpp"

#include <algorithm>
#include <limits>

namespace attestone::inline conformance {
namespace {

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

}  // namespace

std::array<CutSide, 2> cut_sides(const Problem& problem) {
  const index cut = 1 + static_cast<index>(problem.seed % static_cast<std::uint64_t>(problem.shape.keys - 1));
  return {CutSide{0, cut, true}, CutSide{cut, problem.shape.keys - cut, false}};
}

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

}  // namespace attestone::inline conformance
