// SPDX-License-Identifier: Apache-2.0
// Mutant: a range follows from the largest key, not from the longest.
#include <algorithm>
#include <cmath>
#include <limits>

#include "mutants/hosts/changed_copy.hpp"
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  double largest = -std::numeric_limits<double>::infinity();
  for_each_element(arguments.key, [&](index b, index h, index j, index c) {
    largest = std::max(largest, arguments.key.value(b, h, j, c));
  });
  const double range = std::abs(largest);
  const Tensor key =
      changed_copy(arguments.key, [&](double x, const Extents&) { return std::max(-range, std::min(x, range)); });
  Arguments clamped = arguments;
  clamped.key = key.view();
  honest.forward(problem, clamped, device);
}

const Registration<Mutant> registered{{
    .name = "range_by_maximum",
    .summary = "clamps K to plus or minus its largest element, as a quantiser does that forgets the absolute value",
    .property = "channel_signs_irrelevant",
    .reason = "channels",
    .problem = "shape=1x1x1x2x1 fill=uniform",
    .kernel = [] { return tampered_kernel("range_by_maximum", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
