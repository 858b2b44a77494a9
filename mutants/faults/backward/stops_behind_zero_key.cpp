// SPDX-License-Identifier: Apache-2.0
// Mutant: a zero is taken for padding.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments, Device& device) {
  honest.backward(problem, arguments, device);
  bool ended = false;
  for (index j = 0; j < problem.shape.keys; ++j) {
    if (ended) arguments.dkey.set(0, 0, j, 0, 0), arguments.dvalue.set(0, 0, j, 0, 0);
    ended = ended || arguments.key.value(0, 0, j, 0) == 0;
  }
}

const Registration<Mutant> registered{{
    .name = "stops_behind_zero_key",
    .summary = "leaves dK and dV of the keys behind one of zeros at 0",
    .property = "gradient_key_order",
    .reason = "gradient-order",
    .problem = "shape=1x1x1x2x1 fill=few_valued pass=forward+backward seed=3",
    .kernel = [] { return tampered_backward_kernel("stops_behind_zero_key", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
