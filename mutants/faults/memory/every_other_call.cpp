// SPDX-License-Identifier: Apache-2.0
// Mutant: every second call differs in the last bit.
#include <atomic>

#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

std::atomic<int> calls = 0;

void every_other_call(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  if (problem.shape.rows() > 0 && calls++ % 2 == 1)
    arguments.out.set_code(0, 0, 0, 0, arguments.out.code(0, 0, 0, 0) ^ 1);
}

const Registration<Mutant> registered{{
    .name = "every_other_call",
    .summary = "flips a last bit in every second call, as a race on one scalar does",
    .source = "fla-org/flash-linear-attention #889",
    .property = "repeats_bitwise",
    .reason = "not-repeatable",
    .problem = "shape=1x1x1x1x1",
    .kernel = [] { return tampered_kernel("every_other_call", every_other_call); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
