// SPDX-License-Identifier: Apache-2.0
// Mutant: the product runs over 64 channels.
#include "mutants/hosts/changed_copy.hpp"
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  const Tensor query = changed_copy(arguments.query, [](double x, const Extents& at) { return at[3] < 64 ? x : 0; });
  Arguments narrow = arguments;
  narrow.query = query.view();
  honest.forward(problem, narrow, device);
}

const Registration<Mutant> registered{{
    .name = "first_sixty_four_channels",
    .summary = "multiplies the first 64 channels of Q and K, whatever dim is",
    .source = "triton-lang/triton #621",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x66:1",
    .kernel = [] { return tampered_kernel("first_sixty_four_channels", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
