// SPDX-License-Identifier: Apache-2.0
// Mutant: which axis is that of the heads is guessed from an extent.
#include <utility>

#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  const ConstView& key = arguments.key;
  const bool looks_transposed = key.row_map().dense() && problem.shape.keys == problem.shape.kv_heads;
  Arguments guessed = arguments;
  if (looks_transposed) {
    Strides strides = key.strides();
    std::swap(strides[1], strides[2]);
    guessed.key = {key.data(), key.dtype(), key.extents(), strides};
  }
  honest.forward(problem, guessed, device);
}

const Registration<Mutant> registered{{
    .name = "layout_guessed_from_extents",
    .summary = "takes the second axis of K for its rows where the third is as long as there are heads",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x1x2x1",
    .kernel = [] { return tampered_kernel("layout_guessed_from_extents", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
