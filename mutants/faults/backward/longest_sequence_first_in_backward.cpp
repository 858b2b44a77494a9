// SPDX-License-Identifier: Apache-2.0
// Mutant: the backward pass takes a batch for sorted by length.
#include <algorithm>

#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments, Device& device) {
  Problem other = problem;
  for (index& length : other.lengths) length = std::min(length, problem.lengths.front());
  honest.backward(other, arguments, device);
}

const Registration<Mutant> registered{{
    .name = "longest_sequence_first_in_backward",
    .summary = "takes no sequence for longer than the first on the way back",
    .property = "gradient_batch_order",
    .reason = "gradient-order",
    .problem = "shape=2x1x1x3x2 lengths=3+2 pass=forward+backward",
    .kernel = [] { return tampered_backward_kernel("longest_sequence_first_in_backward", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
