// SPDX-License-Identifier: Apache-2.0
// Mutant: heads of their own lose a gradient.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments, Device& device) {
  honest.backward(problem, arguments, device);
  const index last = problem.shape.kv_heads - 1;
  if (last == 0 || problem.shape.heads != problem.shape.kv_heads) return;
  for_each_element(arguments.dvalue, [&](index b, index h, index j, index c) {
    if (h == last) arguments.dvalue.set(b, h, j, c, 0);
  });
}

const Registration<Mutant> registered{{
    .name = "ungrouped_head_loses_gradient",
    .summary = "clears dV of the last head if every query head has its own kv head",
    .property = "gradient_grouping",
    .reason = "gradient-sum",
    .problem = "shape=1x2/1x1x1x1 pass=forward+backward",
    .kernel = [] { return tampered_backward_kernel("ungrouped_head_loses_gradient", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
