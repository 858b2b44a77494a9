// SPDX-License-Identifier: Apache-2.0
// Mutant: V saturates.
#include <algorithm>

#include "mutants/hosts/changed_copy.hpp"
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  constexpr double largest = 448;
  const Tensor value =
      changed_copy(arguments.value, [&](double x, const Extents&) { return std::max(-largest, std::min(x, largest)); });
  Arguments saturated = arguments;
  saturated.value = value.view();
  honest.forward(problem, saturated, device);
}

const Registration<Mutant> registered{{
    .name = "values_saturate",
    .summary = "saturates V at 448, the largest number of e4m3",
    .property = "value_scaled",
    .reason = "power-of-two",
    .problem = "shape=1x1x1x2x4",
    .kernel = [] { return tampered_kernel("values_saturate", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
