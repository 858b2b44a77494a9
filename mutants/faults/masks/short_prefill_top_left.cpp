// SPDX-License-Identifier: Apache-2.0
// Mutant: few queries are aligned with the first keys.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  Problem other = problem;
  if (problem.shape.queries == 2 && problem.mask == Mask("causal")) other.mask = Mask("causal:top_left");
  honest.forward(other, arguments, device);
}

const Registration<Mutant> registered{{
    .name = "short_prefill_top_left",
    .summary = "aligns causal masks with the first key if there are two queries",
    .source = "Dao-AILab/flash-attention issue #282",
    .property = "prefix_alone",
    .reason = "prefix",
    .problem = "shape=1x1x4x6x2 mask=causal",
    .kernel = [] { return tampered_kernel("short_prefill_top_left", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
