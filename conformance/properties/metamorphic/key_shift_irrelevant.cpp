// SPDX-License-Identifier: Apache-2.0
// Softmax does not see what all scores have in common.
#include <cmath>
#include <fmt/format.h>

#include "conformance/properties/metamorphic/relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) {
  if (problem.score.softcap()) return "softcap bends a shift of the scores";
  if (problem.score.has_sink()) return "the sink is not shifted";
  return problem.shape.keys == 0 ? "no keys" : without_numbers(problem);
}

/// The vector: longer than any channel of K, of both signs, and exact to add to keys with a bit to spare.
double shift(index channel, double size) { return channel % 3 == 0 ? -size : size; }

/// The number that the shift adds to the scores of a query, and how much the sum here may have rounded.
struct AddedScore {
  double value = 0, rounding = 0;
};

AddedScore added_score(const Problem& problem, const ConstView& query, const AnswerRow& at, double size) {
  AddedScore added;
  double magnitude = 0;
  for (index c = 0; c < problem.shape.dim; ++c) {
    const double q = query.value(at.batch, at.head, at.query, c);
    added.value += q * shift(c, size), magnitude += std::abs(q * size);
  }
  added.value *= problem.scale();
  added.rounding =
      static_cast<double>(problem.shape.dim + 4) * dtype("f64").unit_roundoff() * magnitude * std::abs(problem.scale());
  return added;
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  Inputs inputs = trial.inputs();
  const double size = std::ldexp(1.0, largest_exponent(inputs.key.view()) + 1);
  inputs.key = with_a_bit_to_spare(inputs.key);
  if (2 * size > problem.input.largest()) return Verdict::skipped("K has no room for a shift");
  Trial coarse(trial.kernel(), problem, inputs);
  const View key = inputs.key.view();
  const ConstView unshifted = coarse.inputs().key.view();
  for_each_element(unshifted, [&](index b, index h, index j, index c) {
    key.set(b, h, j, c, unshifted.value(b, h, j, c) + shift(c, size));
  });
  Truth truth = coarse.truth();
  const ConstView query = inputs.query.view();
  for_each_certified(problem, truth, [&](index b, index h, index row, index c, Certified& element) {
    const index i = truth.queries()[static_cast<std::size_t>(row)];
    if (c >= 0 || i >= query.rows(b)) return;
    const AddedScore added = added_score(problem, query, {b, h, i}, size);
    transform(element, 1, added.value, added.rounding);
  });
  Verdict verdict = judged(coarse, {problem, std::move(inputs), std::move(truth)}, "key-shift",
                           fmt::format("with a vector of elements {} and {} added to every key", size, -size));
  trial.times.truth += coarse.times.truth, trial.times.kernel += coarse.times.kernel;
  return verdict;
}

const Registration<Property> registered{{
    .name = "key_shift_irrelevant",
    .claim = "the same vector added to every key leaves O what it was and adds scale * q.vector to log_sum_exp and "
             "max_logits",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
