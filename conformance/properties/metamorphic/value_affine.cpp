// SPDX-License-Identifier: Apache-2.0
// Attention is an average of values: it commutes with affine maps.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "conformance/properties/metamorphic/relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) {
  if (problem.score.has_sink()) return "the sink takes a share of the weights";
  if (problem.dropout > 0) return "dropout leaves weights that do not add up to 1";
  return problem.shape.keys == 0 ? "no keys" : without_numbers(problem);
}

/// The constant of each channel; exact in every format.
double constant(index channel, double size) { return channel % 2 == 0 ? size : -size; }

/// constant - V, rounded to the input format.
void subtract_from_constant(const ConstView& original, const View& value, double size) {
  for_each_element(original, [&](index b, index h, index j, index c) {
    value.set(b, h, j, c, constant(c, size) - original.value(b, h, j, c));
  });
}

/// The most that rounding changed one channel of one kv head: the average cannot have changed by more.
double largest_rounding(const ConstView& original, const ConstView& value, const AnswerRow& at, index channel,
                        double size) {
  double largest = 0;
  for (index j = 0; j < value.rows(at.batch); ++j) {
    const double exact = constant(channel, size) - original.value(at.batch, at.head, j, channel);
    // The difference is taken here in double.
    const double here = dtype("f64").unit_roundoff() * 2 * std::abs(exact);
    largest = std::max(largest, std::abs(value.value(at.batch, at.head, j, channel) - exact) + here);
  }
  return largest;
}

Verdict check(Trial& trial) {
  const Shape& s = trial.problem().shape;
  Inputs inputs = trial.inputs();
  const ConstView original = trial.inputs().value.view();
  double size = std::ldexp(1.0, largest_exponent(original));
  if (4 * size > trial.problem().input.largest()) size = 0;
  subtract_from_constant(original, inputs.value.view(), size);
  Truth truth = trial.truth();
  for (index b = 0; b < s.batch; ++b)
    for (index h = 0; h < s.heads; ++h)
      for (index c = 0; c < s.value_dim; ++c) {
        const double slack = largest_rounding(original, inputs.value.view(), {b, s.kv_head(h), 0}, c, size);
        for (index row = 0; row < std::ssize(truth.queries()); ++row)
          if (std::isfinite(truth.log_sum_exp(b, h, row).value))  // an empty row stays 0
            transform(truth.out(b, h, row, c), -1, constant(c, size), slack);
      }
  return judged(trial, {trial.problem(), std::move(inputs), std::move(truth)}, "value-map",
                fmt::format("with {} or {} minus V in place of V", size, -size));
}

const Registration<Property> registered{{
    .name = "value_affine",
    .claim = "a constant minus V in place of V gives that constant minus O",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
