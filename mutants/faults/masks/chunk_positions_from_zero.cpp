// SPDX-License-Identifier: Apache-2.0
// Mutant: a chunk of a prefill starts at position 0.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  Problem other = problem;
  const bool chunk = problem.shape.queries > 1 && problem.shape.queries < problem.shape.keys;
  if (chunk && problem.mask == Mask("causal")) other.mask = Mask("causal:top_left");
  honest.forward(other, arguments, device);
}

const Registration<Mutant> registered{{
    .name = "chunk_positions_from_zero",
    .summary = "aligns causal masks with the first key if several queries meet more keys",
    .source = "Dao-AILab/flash-attention issue #282",
    .property = "queries_in_chunks",
    .reason = "rows-alone",
    .problem = "shape=1x1x3x3x2 mask=causal",
    .kernel = [] { return tampered_kernel("chunk_positions_from_zero", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
