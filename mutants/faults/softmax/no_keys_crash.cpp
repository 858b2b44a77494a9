// SPDX-License-Identifier: Apache-2.0
// Mutant: no keys, and the kernel gives up.
#include <stdexcept>

#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void no_keys_crash(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  if (problem.shape.keys == 0) throw std::runtime_error("work per key: division by zero");
  honest.forward(problem, arguments, device);
}

const Registration<Mutant> registered{{
    .name = "no_keys_crash",
    .summary = "divides the work by the number of keys before it looks whether there are any",
    .source = "Dao-AILab/flash-attention PR #2470",
    .property = "empty_rows",
    .reason = "crashed",
    .problem = "shape=1x1x1x0x1",
    .kernel = [] { return tampered_kernel("no_keys_crash", no_keys_crash); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
