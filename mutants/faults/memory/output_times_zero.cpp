// SPDX-License-Identifier: Apache-2.0
// Mutant: what the output held is multiplied by 0 instead of being forgotten.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void output_times_zero(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  if (problem.shape.rows() == 0) return;
  const double before = arguments.out.value(0, 0, 0, 0);
  honest.forward(problem, arguments, device);
  arguments.out.set(0, 0, 0, 0, 0 * before + arguments.out.value(0, 0, 0, 0));
}

const Registration<Mutant> registered{{
    .name = "output_times_zero",
    .summary = "starts from 0 times what the output held, and 0 * NaN is NaN",
    .property = "guards",
    .reason = "depends-on-poison",
    .problem = "shape=1x1x1x1x1",
    .kernel = [] { return tampered_kernel("output_times_zero", output_times_zero); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
