// SPDX-License-Identifier: Apache-2.0
// A score is an inner product: it does not see rotations.
#include <cmath>

#include "conformance/properties/metamorphic/relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) {
  return problem.shape.dim < 2 ? "one channel" : without_numbers(problem);
}

/// (a, b) becomes (a + b, a - b), which makes inner products twice as long; a channel without a partner is multiplied
/// by `lone`.
void rotate_pairs(const Tensor& from, Tensor& to, double lone) {
  const ConstView x = from.view();
  const View y = to.view();
  const index half = x.extents()[3] / 2;
  for_each_element(x, [&](index b, index h, index r, index c) {
    if (c < half)
      y.set(b, h, r, c, x.value(b, h, r, c) + x.value(b, h, r, c + half));
    else if (c < 2 * half)
      y.set(b, h, r, c, x.value(b, h, r, c - half) - x.value(b, h, r, c));
    else
      y.set(b, h, r, c, lone * x.value(b, h, r, c));
  });
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  Inputs inputs = trial.inputs();
  for (Tensor* tensor : {&inputs.query, &inputs.key}) {
    *tensor = with_a_bit_to_spare(*tensor);
    if (std::ldexp(1.0, largest_exponent(tensor->view()) + 2) > problem.input.largest())
      return Verdict::skipped("Q or K has no room for a sum of two channels");
  }
  Trial coarse(trial.kernel(), problem, inputs);
  rotate_pairs(coarse.inputs().query, inputs.query, 2);
  rotate_pairs(coarse.inputs().key, inputs.key, 1);
  Problem other = problem;
  other.given_scale = problem.scale() / 2;
  Verdict verdict = judged(coarse, {other, std::move(inputs), coarse.truth()}, "channels",
                           "with channels c and c + dim/2 of Q and K replaced by their sum and difference");
  trial.times.truth += coarse.times.truth, trial.times.kernel += coarse.times.kernel;
  return verdict;
}

const Registration<Property> registered{{
    .name = "rotation_irrelevant",
    .claim = "the same Hadamard rotation of Q and K, with its length in the scale, changes nothing",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
