// SPDX-License-Identifier: Apache-2.0
// Mutant: a batch of one takes another path, which forgets the mask.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  Problem other = problem;
  if (problem.shape.batch == 1) other.mask = Mask();
  honest.forward(other, arguments, device);
}

const Registration<Mutant> registered{{
    .name = "mask_ignored_alone",
    .summary = "answers a batch of one without its mask",
    .property = "sequence_alone",
    .reason = "sequence-alone",
    .problem = "shape=2x1x3x3x2 lengths=2+3 mask=causal",
    .kernel = [] { return tampered_kernel("mask_ignored_alone", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
