// SPDX-License-Identifier: Apache-2.0
// Mutant: a decoding step forgets the window.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  Problem other = problem;
  if (problem.shape.queries == 1 && problem.mask.rule() == "window") other.mask = Mask("causal");
  honest.forward(other, arguments, device);
}

const Registration<Mutant> registered{{
    .name = "window_ignored_in_decode",
    .summary = "lets a query that comes alone see every earlier key, whatever the window",
    .property = "decode_is_last_row",
    .reason = "rows-alone",
    .problem = "shape=1x1x3x3x2 mask=window:1:0",
    .kernel = [] { return tampered_kernel("window_ignored_in_decode", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
