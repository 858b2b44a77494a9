// SPDX-License-Identifier: Apache-2.0
// Mutant: the path for one query has another base.
#include <numbers>

#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  if (problem.shape.queries != 1) return;
  const View& L = arguments.log_sum_exp;
  for_each_element(
      L, [&](index b, index h, index i, index) { L.set(b, h, i, 0, std::numbers::log2e * L.value(b, h, i, 0)); });
}

const Registration<Mutant> registered{{
    .name = "log_sum_exp_base_2_in_decode",
    .summary = "answers a log_sum_exp of base 2 where there is one query",
    .source = "flashinfer-ai/flashinfer #4485",
    .property = "value_bound",
    .reason = "wrong-log-sum-exp",
    .problem = "shape=1x1x1x2x1",
    .variant = "log_sum_exp is base 2",
    .kernel = [] { return tampered_kernel("log_sum_exp_base_2_in_decode", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
