// SPDX-License-Identifier: Apache-2.0
// Mutant: dQ is written, whether somebody asks for it or not.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments, Device& device) {
  honest.backward(problem, arguments, device);
  if (problem.shape.rows() > 0 && problem.shape.dim > 0)
    arguments.dquery.set(0, 0, 0, 0, arguments.dquery.value(0, 0, 0, 0));
}

const Registration<Mutant> registered{{
    .name = "query_gradient_unasked",
    .summary = "writes to dQ where nobody asks for it",
    .property = "gradient_bound",
    .reason = "crashed",
    .problem = "shape=1x1x1x1x1 pass=forward+backward wants=dvalue",
    .kernel = [] { return tampered_backward_kernel("query_gradient_unasked", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
