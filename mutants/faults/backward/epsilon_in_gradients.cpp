// SPDX-License-Identifier: Apache-2.0
// Mutant: a small number is added to every gradient.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void epsilon_in_gradients(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                          Device& device) {
  honest.backward(problem, arguments, device);
  constexpr double epsilon = 1e-20;
  const View& dv = arguments.dvalue;
  for_each_element(dv, [&](index b, index h, index j, index c) { dv.set(b, h, j, c, dv.value(b, h, j, c) + epsilon); });
}

const Registration<Mutant> registered{{
    .name = "epsilon_in_gradients",
    .summary = "adds 1e-20 to every element of dV, so that nothing is ever divided by zero",
    .property = "gradient_zeros",
    .reason = "gradient-not-zero",
    .problem = "shape=1x1x1x2x1 lengths=1 pass=forward+backward",
    .kernel = [] { return tampered_backward_kernel("epsilon_in_gradients", epsilon_in_gradients); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
