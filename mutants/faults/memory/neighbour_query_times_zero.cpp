// SPDX-License-Identifier: Apache-2.0
// Mutant: rows of a tile share a sum.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  const index last = problem.shape.queries - 1;
  if (last < 1 || !arguments.out.row_map().dense()) return;
  arguments.out.set(0, 0, 0, 0, arguments.out.value(0, 0, 0, 0) + 0 * arguments.query.value(0, 0, last, 0));
}

const Registration<Mutant> registered{{
    .name = "neighbour_query_times_zero",
    .summary = "adds 0 times the last query to the first row",
    .property = "rows_independent",
    .reason = "row-leak",
    .problem = "shape=1x1x2x2x2",
    .kernel = [] { return tampered_kernel("neighbour_query_times_zero", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
