// SPDX-License-Identifier: Apache-2.0
// Masks that are finite numbers: pairs and whole rows whose scores are hugely negative, and which are seen all the
// same.
#include <array>
#include <cmath>

#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// Beside what a bias does, products do it themselves: keys that are masked, and rows in which every key is.
constexpr double mask_by_product = -1e4, key_part = 128;
constexpr index keys_per_masked = 4, rows_per_masked = 4;

/// True if a row of a tensor is one of those that are masked as a whole.
bool is_masked_row(const Problem& problem, const Element& at) {
  return draw_for(problem, {at.tensor, at.batch, at.head, at.row, 0}).integer(1, rows_per_masked, 2) == 1;
}

/// Channel 0 masks single keys, channel 1 whole rows; of a head of one channel only keys are masked.
ElementSource source(const Problem& problem) {
  const double wanted = -mask_by_product / (std::abs(problem.scale()) * key_part);
  const double query_part = std::min(wanted, problem.input.largest() / 4);
  const double sign = problem.scale() < 0 ? -1 : 1;
  const bool biased = problem.score.bias_tensor().has_value();
  return [problem, query_part, sign, biased](const Element& at) {
    if (biased || at.tensor == TensorName::value || at.channel > 1) return normal_for(problem, at);
    if (at.tensor == TensorName::query) {
      const bool whole_row = at.channel == 1 && is_masked_row(problem, at);
      return at.channel == 0 || whole_row ? sign * query_part : 0.0;
    }
    if (at.channel == 1) return -key_part;
    const bool masked = draw_for(problem, at).integer(1, keys_per_masked, 2) == 1;
    return masked ? -key_part : 0.0;
  };
}

/// The number that libraries add to masked scores: -10^4, the lowest number of f16, -10^30, the lowest of the format.
double mask_of_head(const Problem& problem, const Element& at) {
  const double lowest = -problem.input.largest();
  const std::array masks{-1e4, -1e4, -65504.0, -1e30, lowest};
  const index which =
      draw_for(problem, {TensorName::bias, at.batch, at.head, 0, 0}).integer(0, std::ssize(masks) - 1, 3);
  return std::max(masks[static_cast<std::size_t>(which)], lowest);
}

/// A fourth of the rows of the bias is masked as a whole, a fourth not at all, the rest by half. Some sinks are as low.
ElementSource others(const Problem& problem) {
  const ElementSource ordinary = normal_others(problem);
  return [problem, ordinary](const Element& at) {
    if (at.tensor == TensorName::dout) return ordinary(at);
    const Draw row = draw_for(problem, {at.tensor, at.batch, at.head, at.row, 0}), pair = draw_for(problem, at);
    const index kind = row.integer(1, rows_per_masked, 2);
    const bool masked = at.tensor == TensorName::sink ? pair.integer(1, 3, 3) == 1
                                                      : kind == 1 || (kind > 2 && pair.integer(0, 1, 3) == 1);
    return masked ? mask_of_head(problem, at) : ordinary(at);
  };
}

const Registration<Fill> registered{{
    .name = "finite_masks",
    .aim = "pairs and whole rows masked by large finite numbers: they are seen, and weigh against each other",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .others = others,
    .drawing = {.turn = 1, .chance = 0.5},
}};

}  // namespace
}  // namespace attestone::inline conformance
