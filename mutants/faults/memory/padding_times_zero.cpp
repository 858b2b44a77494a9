// SPDX-License-Identifier: Apache-2.0
// Mutant: what stands behind a sequence enters with weight 0.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  for (index b = 0; b < problem.shape.batch; ++b) {
    const Sequence own = problem.sequence(b);
    if (own.keys == problem.shape.keys || own.queries == 0) continue;
    arguments.out.set(b, 0, 0, 0, arguments.out.value(b, 0, 0, 0) + 0 * arguments.value.value(b, 0, own.keys, 0));
  }
}

const Registration<Mutant> registered{{
    .name = "padding_times_zero",
    .summary = "adds 0 times the value behind the last key of a padded sequence, and 0 * NaN is NaN",
    .source = "pytorch/pytorch issue #101967",
    .property = "padding_irrelevant",
    .reason = "padding",
    .problem = "shape=1x1x1x2x1",
    .kernel = [] { return tampered_kernel("padding_times_zero", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
