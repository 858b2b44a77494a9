// SPDX-License-Identifier: Apache-2.0
// Kernels that guess from one head, sequence or extent what holds for all.
#include "mutants/hosts/tampered.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void first_sequence_only(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
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

void layout_guessed_from_extents(const Kernel& honest, const Problem& problem, const Arguments& arguments,
                                 Device& device) {
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

void longest_sequence_first(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  Problem other = problem;
  for (index& length : other.lengths) length = std::min(length, problem.lengths.front());
  honest.forward(other, arguments, device);
}

void sinks_judged_by_first(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  Arguments without = arguments;
  Problem other = problem;
  if (arguments.sink && arguments.sink->value(0, 0, 0, 0) <= 0) other.score = Score(), without.sink.reset();
  honest.forward(other, without, device);
}

const Registrations<Mutant> registered{
    {.name = "first_sequence_only",
     .summary = "writes the answers of the first sequence only, where sequences have lengths",
     .source = "Dao-AILab/flash-attention #1217",
     .property = "guards",
     .reason = "unwritten",
     .problem = "shape=2x1x1x1x1 lengths=1+1",
     .kernel = [] { return tampered_kernel("first_sequence_only", first_sequence_only); },
     .twin = tiled_twin},
    {.name = "layout_guessed_from_extents",
     .summary = "takes the second axis of K for its rows where the third is as long as there are heads",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x1x2x1",
     .kernel = [] { return tampered_kernel("layout_guessed_from_extents", layout_guessed_from_extents); },
     .twin = tiled_twin},
    {.name = "longest_sequence_first",
     .summary = "takes no sequence for longer than the first",
     .property = "batch_order_irrelevant",
     .reason = "batch-order",
     .problem = "shape=2x1x1x3x2 lengths=3+2",
     .kernel = [] { return tampered_kernel("longest_sequence_first", longest_sequence_first); },
     .twin = tiled_twin},
    {.name = "sinks_judged_by_first",
     .summary = "leaves out all sinks if that of the first head is not positive",
     .property = "head_order_irrelevant",
     .reason = "head-order",
     .problem = "shape=1x2x1x2x2 score=sink:head seed=4",
     .kernel = [] { return tampered_kernel("sinks_judged_by_first", sinks_judged_by_first); },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
