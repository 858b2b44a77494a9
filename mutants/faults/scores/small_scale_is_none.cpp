// SPDX-License-Identifier: Apache-2.0
// Mutant: a small scale is taken for none.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  constexpr double smallest = 0.25;
  Problem other = problem;
  if (problem.scale() < smallest) other.given_scale.reset();
  honest.forward(other, arguments, device);
}

const Registration<Mutant> registered{{
    .name = "small_scale_is_none",
    .summary = "takes 1/sqrt(dim) in place of a scale below 1/4",
    .property = "scale_moves_into_query",
    .reason = "power-of-two",
    .problem = "shape=1x1x1x2x1",
    .kernel = [] { return tampered_kernel("small_scale_is_none", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
