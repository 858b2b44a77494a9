// SPDX-License-Identifier: Apache-2.0
// Mutant: dout saturates.
#include <algorithm>

#include "mutants/hosts/changed_copy.hpp"
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments, Device& device) {
  constexpr double largest = 8;
  const Tensor dout =
      changed_copy(arguments.dout, [&](double x, const Extents&) { return std::max(-largest, std::min(x, largest)); });
  BackwardArguments saturated = arguments;
  saturated.dout = dout.view();
  honest.backward(problem, saturated, device);
}

const Registration<Mutant> registered{{
    .name = "dout_saturates",
    .summary = "saturates dout at 8, as a guard against overflow",
    .property = "gradient_scaled",
    .reason = "gradient-not-linear",
    .problem = "shape=1x1x1x2x2 pass=forward+backward",
    .kernel = [] { return tampered_backward_kernel("dout_saturates", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
