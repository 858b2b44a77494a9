// SPDX-License-Identifier: Apache-2.0
// What all keys have in common has no gradient.
#include <fmt/format.h>

#include "conformance/gradient_relation.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

std::string inapplicable(const Problem& problem) {
  if (!problem.backward) return without_gradients(problem);
  if (problem.score.softcap()) return "softcap bends a shift of the scores";
  return problem.score.has_sink() ? "the sink is not shifted" : without_numbers(problem);
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const Inputs inputs = other_inputs(problem);
  const Gradients got = trial.backward().run(inputs, trial.run(inputs).outputs).gradients;
  const GradientBounds bounds = gradient_bounds(problem, inputs, trial.numerics());
  const ConstView dkey = got.key.view();
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.kv_heads; ++h)
      for (index c = 0; c < problem.shape.dim; ++c) {
        SumOfGradients sum;
        for (index j = 0; j < dkey.rows(b); ++j) sum.add(dkey.value(b, h, j, c), bounds.key.deterministic(b, h, j, c));
        if (sum.is_not_zero())
          return Verdict::failed("gradient-sum",
                                 fmt::format("with the inputs of the next seed dkey[b{}, h{}, :, c{}] adds up to "
                                             "{:.9g}, not to 0",
                                             b, h, c, sum.got));
      }
  return Verdict::passed();
}

const Registration<Property> registered{{
    .name = "gradient_key_sums",
    .claim = "the weights of a row do not change with a shift of K, so dK adds up to 0 over the keys, for other inputs "
             "as well",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone
