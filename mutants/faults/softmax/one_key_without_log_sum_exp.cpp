// SPDX-License-Identifier: Apache-2.0
// Mutant: one key needs no softmax.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  if (problem.shape.keys != 1) return;
  for_each_element(arguments.log_sum_exp,
                   [&](index b, index h, index i, index) { arguments.log_sum_exp.set(b, h, i, 0, 0); });
}

const Registration<Mutant> registered{{
    .name = "one_key_without_log_sum_exp",
    .summary = "copies V where there is one key, and leaves log_sum_exp at 0",
    .property = "splits_merge",
    .reason = "split",
    .problem = "shape=1x1x1x2x1",
    .kernel = [] { return tampered_kernel("one_key_without_log_sum_exp", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
