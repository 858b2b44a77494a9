// SPDX-License-Identifier: Apache-2.0
// Mutant: without dQ the gradients that are left move up by one place.
#include <utility>

#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments, Device& device) {
  BackwardArguments moved = arguments;
  if (!arguments.dquery.exists() && problem.shape.dim == problem.shape.value_dim) std::swap(moved.dkey, moved.dvalue);
  honest.backward(problem, moved, device);
}

const Registration<Mutant> registered{{
    .name = "value_gradient_in_place_of_key",
    .summary = "returns dV in the place of dK where dQ is not asked for",
    .property = "wanted_alone",
    .reason = "depends-on-wants",
    .problem = "shape=1x1x1x2x1 pass=forward+backward wants=dkey",
    .kernel = [] { return tampered_backward_kernel("value_gradient_in_place_of_key", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
