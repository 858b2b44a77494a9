// SPDX-License-Identifier: Apache-2.0
// Mutant: dK and dV change places.
#include <utility>

#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void swapped_key_and_value_gradients(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                                     Device& device) {
  BackwardArguments swapped = arguments;
  if (problem.shape.dim == problem.shape.value_dim) std::swap(swapped.dkey, swapped.dvalue);
  honest.backward(problem, swapped, device);
}

const Registration<Mutant> registered{{
    .name = "swapped_key_and_value_gradients",
    .summary = "answers dV for dK and dK for dV",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x2x2 pass=forward+backward",
    .variant = "dK and dV swapped",
    .kernel =
        [] { return tampered_backward_kernel("swapped_key_and_value_gradients", swapped_key_and_value_gradients); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
