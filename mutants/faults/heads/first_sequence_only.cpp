// SPDX-License-Identifier: Apache-2.0
// Mutant: all sequences are written to the place of the first.
#include <vector>

#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  const View& out = arguments.out;
  std::vector<std::uint64_t> before;
  for_each_element(out, [&](index b, index h, index i, index c) { before.push_back(out.code(b, h, i, c)); });
  honest.forward(problem, arguments, device);
  if (problem.lengths.empty()) return;
  auto code = before.begin();
  for_each_element(out, [&](index b, index h, index i, index c) {
    if (b > 0) out.set_code(b, h, i, c, *code);
    ++code;
  });
}

const Registration<Mutant> registered{{
    .name = "first_sequence_only",
    .summary = "writes the answers of the first sequence only, where sequences have lengths",
    .source = "Dao-AILab/flash-attention #1217",
    .property = "guards",
    .reason = "unwritten",
    .problem = "shape=2x1x1x1x1 lengths=1+1",
    .kernel = [] { return tampered_kernel("first_sequence_only", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
