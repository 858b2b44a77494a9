// SPDX-License-Identifier: Apache-2.0
// Mutant: small keys are flushed.
#include <cmath>

#include "mutants/hosts/changed_copy.hpp"
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  constexpr double smallest = 0x1p-4;
  const Tensor key =
      changed_copy(arguments.key, [&](double x, const Extents&) { return std::abs(x) < smallest ? 0 : x; });
  Arguments flushed = arguments;
  flushed.key = key.view();
  honest.forward(problem, flushed, device);
}

const Registration<Mutant> registered{{
    .name = "small_keys_flushed",
    .summary = "reads elements of K below 2^-4 as 0",
    .property = "query_key_scaled",
    .reason = "power-of-two",
    .problem = "shape=1x1x1x2x2",
    .kernel = [] { return tampered_kernel("small_keys_flushed", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
