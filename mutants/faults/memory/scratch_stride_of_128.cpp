// SPDX-License-Identifier: Apache-2.0
// Mutant: rows of a tile lie 128 apart in scratch memory.
#include "mutants/hosts/changed_copy.hpp"
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  constexpr index stride = 128, tile = TiledSteps::tile;
  const ConstView& right = arguments.key;
  const Tensor key = changed_copy(right, [&](double x, const Extents& at) {
    const index next = at[2] + at[3] / stride;
    const bool overwritten = at[3] >= stride && next / tile == at[2] / tile && next < right.rows(at[0]);
    return overwritten ? right.value(at[0], at[1], next, at[3] % stride) : x;
  });
  Arguments overlapping = arguments;
  overlapping.key = key.view();
  honest.forward(problem, overlapping, device);
}

const Registration<Mutant> registered{{
    .name = "scratch_stride_of_128",
    .summary = "stores rows of K 128 floats apart, so that wider ones are overwritten by the next",
    .source = "gittensor-ai-lab/sparkinfer #425",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x3x130:1",
    .kernel = [] { return tampered_kernel("scratch_stride_of_128", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
