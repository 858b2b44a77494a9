// SPDX-License-Identifier: Apache-2.0
// Mutant: a batch is taken for sorted by length.
#include <algorithm>

#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  Problem other = problem;
  for (index& length : other.lengths) length = std::min(length, problem.lengths.front());
  honest.forward(other, arguments, device);
}

const Registration<Mutant> registered{{
    .name = "longest_sequence_first",
    .summary = "takes no sequence for longer than the first",
    .property = "batch_order_irrelevant",
    .reason = "batch-order",
    .problem = "shape=2x1x1x3x2 lengths=3+2",
    .kernel = [] { return tampered_kernel("longest_sequence_first", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
