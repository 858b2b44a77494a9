// SPDX-License-Identifier: Apache-2.0
// Mutant: a bias below 0 is taken for a mask.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments, Device& device) {
  constexpr double hides = -0.5;
  honest.backward(problem, arguments, device);
  if (!arguments.dbias) return;
  for_each_element(*arguments.dbias, [&](index b, index h, index i, index j) {
    if (arguments.bias->value(b, h, i, j) < hides) arguments.dbias->set(b, h, i, j, 0);
  });
}

const Registration<Mutant> registered{{
    .name = "small_biases_without_gradient",
    .summary = "leaves dBias at 0 where the bias is below -1/2, as if it hid the pair",
    .property = "gradient_bias_sums",
    .reason = "gradient-sum",
    .problem = "shape=1x1x1x2x1 score=bias:full pass=forward+backward seed=2",
    .kernel = [] { return tampered_backward_kernel("small_biases_without_gradient", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
