// SPDX-License-Identifier: Apache-2.0
// Mutant: one byte after the last element of the output is written.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void writes_past_end(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  const auto& [batches, heads, rows, channels] = arguments.out.extents();
  if (problem.shape.rows() > 0) arguments.out.at(batches - 1, heads - 1, rows - 1, channels)[0] = std::byte{0};
}

const Registration<Mutant> registered{{
    .name = "writes_past_end",
    .summary = "writes one byte after the last element of the output",
    .source = "Dao-AILab/flash-attention PR #1500",
    .property = "guards",
    .reason = "out-of-bounds-write",
    .problem = "shape=1x1x1x1x1",
    .kernel = [] { return tampered_kernel("writes_past_end", writes_past_end); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
