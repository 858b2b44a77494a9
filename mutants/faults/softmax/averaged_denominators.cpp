// SPDX-License-Identifier: Apache-2.0
// Mutant: the denominators of tiles are averaged.
#include <cmath>

#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  const index tiles = (problem.shape.keys + TiledSteps::tile - 1) / TiledSteps::tile;
  if (tiles < 2) return;
  for_each_element(arguments.log_sum_exp, [&](index b, index h, index i, index) {
    const double sum = arguments.log_sum_exp.value(b, h, i, 0);
    arguments.log_sum_exp.set(b, h, i, 0, sum - std::log(static_cast<double>(tiles)));
  });
}

const Registration<Mutant> registered{{
    .name = "averaged_denominators",
    .summary = "averages the denominators of the tiles in log_sum_exp instead of adding them",
    .property = "keys_twice",
    .reason = "keys-twice",
    .problem = "shape=1x1x1x9x1",
    .kernel = [] { return tampered_kernel("averaged_denominators", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
