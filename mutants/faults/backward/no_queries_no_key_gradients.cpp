// SPDX-License-Identifier: Apache-2.0
// Mutant: without queries dK and dV are not written.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void no_queries_no_key_gradients(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                                 Device& device) {
  if (problem.shape.queries > 0) honest.backward(problem, arguments, device);
}

const Registration<Mutant> registered{{
    .name = "no_queries_no_key_gradients",
    .summary = "returns at once when there are no queries, and leaves dK and dV as they were",
    .source = "Dao-AILab/flash-attention #2562",
    .property = "gradient_guards",
    .reason = "unwritten",
    .problem = "shape=1x1x0x2x1 pass=forward+backward",
    .kernel = [] { return tampered_backward_kernel("no_queries_no_key_gradients", no_queries_no_key_gradients); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
