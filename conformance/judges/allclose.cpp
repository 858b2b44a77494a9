// SPDX-License-Identifier: Apache-2.0
// One fixed tolerance for all: what benchmarks of generated kernels use in half precision (KernelBench, BackendBench).
#include <cmath>

#include "conformance/judges/judge.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

constexpr double tolerance = 1e-2;

bool accepts(const Exhibit& exhibit) {
  for (std::size_t i = 0; i < exhibit.got.size(); ++i) {
    const double golden = exhibit.golden[i], got = exhibit.got[i];
    if (got == golden) continue;
    if (!(std::abs(got - golden) <= tolerance + tolerance * std::abs(golden))) return false;
  }
  return true;
}

const Registration<Judge> registered{{
    .name = "allclose",
    .rule = "|x - golden| <= 1e-2 + 1e-2 |golden| for every element",
    .accepts = accepts,
}};

}  // namespace
}  // namespace attestone
