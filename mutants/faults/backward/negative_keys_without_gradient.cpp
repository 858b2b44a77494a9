// SPDX-License-Identifier: Apache-2.0
// Mutant: a sign is taken for a mark.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments, Device& device) {
  honest.backward(problem, arguments, device);
  for_each_element(arguments.dkey, [&](index b, index h, index j, index c) {
    if (arguments.key.value(b, h, j, 0) < 0) arguments.dkey.set(b, h, j, c, 0);
  });
}

const Registration<Mutant> registered{{
    .name = "negative_keys_without_gradient",
    .summary = "leaves dK of keys at 0 that begin with a negative number, which marks padding elsewhere",
    .property = "gradient_key_sums",
    .reason = "gradient-sum",
    .problem = "shape=1x1x1x2x1 pass=forward+backward seed=10",
    .kernel = [] { return tampered_backward_kernel("negative_keys_without_gradient", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
