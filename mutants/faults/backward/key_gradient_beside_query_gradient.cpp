// SPDX-License-Identifier: Apache-2.0
// Mutant: dK is computed where dQ is, and nowhere else.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments, Device& device) {
  honest.backward(problem, arguments, device);
  if (arguments.dquery.exists() || !arguments.dkey.exists()) return;
  for_each_element(arguments.dkey, [&](index b, index h, index j, index c) { arguments.dkey.set(b, h, j, c, 0); });
}

const Registration<Mutant> registered{{
    .name = "key_gradient_beside_query_gradient",
    .summary = "computes dK inside the branch that computes dQ, so that dK alone is 0",
    .property = "wanted_alone",
    .reason = "depends-on-wants",
    .problem = "shape=1x1x1x2x1 pass=forward+backward wants=dkey",
    .kernel = [] { return tampered_backward_kernel("key_gradient_beside_query_gradient", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
