// SPDX-License-Identifier: Apache-2.0
// Mutant: K saturates at 1.
#include <algorithm>

#include "mutants/hosts/changed_copy.hpp"
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  const Tensor key =
      changed_copy(arguments.key, [&](double x, const Extents&) { return std::max(-1.0, std::min(x, 1.0)); });
  Arguments saturated = arguments;
  saturated.key = key.view();
  honest.forward(problem, saturated, device);
}

const Registration<Mutant> registered{{
    .name = "keys_saturate",
    .summary = "saturates K at 1, the range that a calibration once saw",
    .property = "rotation_irrelevant",
    .reason = "channels",
    .problem = "shape=1x1x1x2x2 fill=uniform",
    .kernel = [] { return tampered_kernel("keys_saturate", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
