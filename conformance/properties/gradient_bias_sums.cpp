// SPDX-License-Identifier: Apache-2.0
// What all biases of a row have in common has no gradient.
#include <fmt/format.h>

#include "conformance/gradient_relation.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

std::string inapplicable(const Problem& problem) {
  if (!problem.backward) return without_gradients(problem);
  if (!problem.score.bias_tensor()) return "no bias tensor";
  return problem.score.has_sink() ? "the sink is not shifted" : without_numbers(problem);
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const Inputs inputs = other_inputs(problem);
  const Gradients got = trial.backward().run(inputs, trial.run(inputs).outputs).gradients;
  const GradientBounds bounds = gradient_bounds(problem, inputs, trial.numerics());
  const ConstView dbias = got.bias->view();
  const auto& [batches, heads, queries, keys] = dbias.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index i = 0; i < queries; ++i) {
        SumOfGradients sum;
        for (index j = 0; j < keys; ++j) sum.add(dbias.value(b, h, i, j), bounds.bias->deterministic(b, h, i, j));
        if (sum.is_not_zero())
          return Verdict::failed("gradient-sum",
                                 fmt::format("with the inputs of the next seed dbias[b{}, h{}, q{}, :] adds up to "
                                             "{:.9g}, not to 0",
                                             b, h, i, sum.got));
      }
  return Verdict::passed();
}

const Registration<Property> registered{{
    .name = "gradient_bias_sums",
    .claim = "the weights of a row do not change with a shift of its biases, so dBias adds up to 0 over the keys, for "
             "other inputs as well",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone
