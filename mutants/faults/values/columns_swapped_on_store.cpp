// SPDX-License-Identifier: Apache-2.0
// Mutant: registers are stored in another order than they were computed in.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  const View& out = arguments.out;
  for_each_element(out, [&](index b, index h, index i, index c) {
    const index other = c ^ 1;
    if (other <= c || other >= problem.shape.value_dim || i >= out.rows(b)) return;
    const std::uint64_t code = out.code(b, h, i, c);
    out.set_code(b, h, i, c, out.code(b, h, i, other));
    out.set_code(b, h, i, other, code);
  });
}

const Registration<Mutant> registered{{
    .name = "columns_swapped_on_store",
    .summary = "swaps neighbouring channels of O: norms, means and deviations are right",
    .source = "Dao-AILab/flash-attention PR #2553",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x1:2",
    .kernel = [] { return tampered_kernel("columns_swapped_on_store", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
