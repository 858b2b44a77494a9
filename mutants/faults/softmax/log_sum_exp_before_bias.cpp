// SPDX-License-Identifier: Apache-2.0
// Mutant: log_sum_exp is stored before the bias.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  if (problem.score.bias_tensor() != "key" || problem.shape.keys == 0) return;
  for_each_element(arguments.log_sum_exp, [&](index b, index h, index i, index) {
    const double whole = arguments.log_sum_exp.value(b, h, i, 0);
    arguments.log_sum_exp.set(b, h, i, 0, whole - arguments.bias->value(b, h, i, 0));
  });
}

const Registration<Mutant> registered{{
    .name = "log_sum_exp_before_bias",
    .summary = "stores log_sum_exp without a bias that all queries share",
    .property = "constant_bias",
    .reason = "neutral-term",
    .problem = "shape=1x1x1x2x1",
    .kernel = [] { return tampered_kernel("log_sum_exp_before_bias", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
