// SPDX-License-Identifier: Apache-2.0
// Mutant: a buffer that the documented formula leaves out.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void forgotten_buffer(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  const auto copy = device.allocate<float>(problem.shape.queries * problem.shape.dim, "copy of the queries");
  honest.forward(problem, arguments, device);
}

const Registration<Mutant> registered{{
    .name = "forgotten_buffer",
    .summary = "takes a copy of Q that its documented memory leaves out",
    .property = "guards",
    .reason = "memory",
    .problem = "shape=1x1x1x1x1",
    .kernel = [] { return tampered_kernel("forgotten_buffer", forgotten_buffer); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
