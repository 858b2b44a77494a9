// SPDX-License-Identifier: Apache-2.0
// Mutant: a reach of -1 is a reach of 0.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  Problem other = problem;
  if (problem.mask.rule() == "window" && problem.mask.arguments()[0] == -1)
    other.mask = Mask("window", {0, problem.mask.arguments()[1]});
  honest.forward(other, arguments, device);
}

const Registration<Mutant> registered{{
    .name = "unbounded_window_is_zero",
    .summary = "takes a window that reaches back without end for one that does not reach back",
    .property = "mask_in_other_words",
    .reason = "mask-form",
    .problem = "shape=1x1x2x2x2",
    .kernel = [] { return tampered_kernel("unbounded_window_is_zero", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
