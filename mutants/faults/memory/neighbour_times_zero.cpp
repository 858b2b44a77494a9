// SPDX-License-Identifier: Apache-2.0
// Mutant: the values of another sequence enter with weight 0.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void neighbour_times_zero(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  if (problem.shape.rows() == 0 || problem.shape.keys == 0) return;
  const double neighbour = arguments.value.value(0, 0, 0, 0);
  for (index b = 1; b < problem.shape.batch; ++b)
    arguments.out.set(b, 0, 0, 0, arguments.out.value(b, 0, 0, 0) + 0 * neighbour);
}

const Registration<Mutant> registered{{
    .name = "neighbour_times_zero",
    .summary = "adds 0 times a value of the first sequence to every other one, and 0 * NaN is NaN",
    .source = "flashinfer-ai/flashinfer PR #942",
    .property = "batches_independent",
    .reason = "batch-leak",
    .problem = "shape=2x1x1x1x1",
    .kernel = [] { return tampered_kernel("neighbour_times_zero", neighbour_times_zero); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
