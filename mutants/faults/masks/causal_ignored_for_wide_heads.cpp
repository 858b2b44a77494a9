// SPDX-License-Identifier: Apache-2.0
// Mutant: one specialisation never reads the flag.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  Problem other = problem;
  if (problem.shape.dim > 64 && problem.mask.rule() == "causal") other.mask = Mask();
  honest.forward(other, arguments, device);
}

const Registration<Mutant> registered{{
    .name = "causal_ignored_for_wide_heads",
    .summary = "takes causal for no mask where dim is above 64",
    .source = "jax-ml/jax #19237",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x2x2x65:1 mask=causal",
    .variant = "mask ignored",
    .kernel = [] { return tampered_kernel("causal_ignored_for_wide_heads", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
