// SPDX-License-Identifier: Apache-2.0
// Mutant: V is stored without signs.
#include <algorithm>

#include "mutants/hosts/changed_copy.hpp"
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  const Tensor value = changed_copy(arguments.value, [](double x, const Extents&) { return std::max(x, 0.0); });
  Arguments positive = arguments;
  positive.value = value.view();
  honest.forward(problem, positive, device);
}

const Registration<Mutant> registered{{
    .name = "unsigned_values",
    .summary = "stores V as unsigned numbers: what is negative becomes 0",
    .property = "value_affine",
    .reason = "value-map",
    .problem = "shape=1x1x1x2x1 fill=uniform",
    .kernel = [] { return tampered_kernel("unsigned_values", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
