// SPDX-License-Identifier: Apache-2.0
// Mutant: wide heads fall through to a kernel of half their width.
#include "mutants/hosts/changed_copy.hpp"
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  constexpr index widest = 128;
  const Tensor query = changed_copy(arguments.query, [&](double x, const Extents& at) {
    return problem.shape.dim > widest && at[3] >= problem.shape.dim / 2 ? 0 : x;
  });
  Arguments narrow = arguments;
  narrow.query = query.view();
  honest.forward(problem, narrow, device);
}

const Registration<Mutant> registered{{
    .name = "half_of_wide_heads",
    .summary = "multiplies half of the channels of Q and K if there are more than 128",
    .source = "flashinfer-ai/flashinfer #1993",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x129:1",
    .kernel = [] { return tampered_kernel("half_of_wide_heads", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
