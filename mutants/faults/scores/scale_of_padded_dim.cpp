// SPDX-License-Identifier: Apache-2.0
// Mutant: the scale follows the dim that a kernel sees.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  Problem other = problem;
  other.given_scale.reset();
  honest.forward(other, arguments, device);
}

const Registration<Mutant> registered{{
    .name = "scale_of_padded_dim",
    .summary = "takes 1/sqrt(dim) for the scale, whatever scale is given",
    .source = "intel/ipex-llm PR #12619",
    .property = "zero_channels_irrelevant",
    .reason = "channels",
    .problem = "shape=1x1x1x2x2",
    .kernel = [] { return tampered_kernel("scale_of_padded_dim", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
