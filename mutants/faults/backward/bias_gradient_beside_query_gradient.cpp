// SPDX-License-Identifier: Apache-2.0
// Mutant: dBias is read out of what the branch for dQ leaves.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments, Device& device) {
  if (arguments.dquery.exists()) return honest.backward(problem, arguments, device);
  BackwardArguments without = arguments;
  without.dbias.reset();
  honest.backward(problem, without, device);
}

const Registration<Mutant> registered{{
    .name = "bias_gradient_beside_query_gradient",
    .summary = "leaves dBias as the memory was where dQ is not asked for",
    .property = "gradient_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x1x2x1 score=bias:pair pass=forward+backward wants=dbias",
    .kernel = [] { return tampered_backward_kernel("bias_gradient_beside_query_gradient", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
