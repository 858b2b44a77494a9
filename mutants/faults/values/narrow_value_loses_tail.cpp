// SPDX-License-Identifier: Apache-2.0
// Mutant: narrow values lose their tail.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  const index last = problem.shape.value_dim - 1;
  if (problem.shape.value_dim >= problem.shape.dim) return;
  for_each_element(arguments.out, [&](index b, index h, index i, index c) {
    if (c == last) arguments.out.set(b, h, i, c, 0);
  });
}

const Registration<Mutant> registered{{
    .name = "narrow_value_loses_tail",
    .summary = "leaves the last channel 0 if value_dim is below dim",
    .property = "value_channels_alone",
    .reason = "channels",
    .problem = "shape=1x1x1x2x2",
    .kernel = [] { return tampered_kernel("narrow_value_loses_tail", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
