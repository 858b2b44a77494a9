// SPDX-License-Identifier: Apache-2.0
// Mutant: the heads of a group, packed as the rows of a decoding step, hide keys from each other.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

/// The first rows of one head.
template <class Byte>
BasicView<Byte> part_of(const BasicView<Byte>& view, index head, index rows) {
  const auto& [batches, heads, all_rows, channels] = view.extents();
  return {view.at(0, head, 0, 0), view.dtype(), {batches, 1, rows, channels}, view.strides()};
}

bool packs(const Problem& problem) {
  const Shape& shape = problem.shape;
  const bool plain = problem.score.terms().empty() && problem.dropout == 0 && problem.lengths.empty();
  return plain && problem.layout == "bhsd" && problem.mask.rule() == "causal" && shape.queries == 1 &&
         shape.heads > shape.kv_heads && shape.keys > shape.heads;
}

/// Row r of the packed rows stands at position keys - rows + r, as if each were a token of its own.
void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  if (!packs(problem)) return honest.forward(problem, arguments, device);
  const index rows = problem.shape.heads / problem.shape.kv_heads;
  for (index head = 0; head < problem.shape.heads; ++head) {
    Problem one = problem;
    one.shape.heads = one.shape.kv_heads = 1;
    one.shape.keys -= rows - 1 - head % rows;
    const index kv_head = problem.shape.kv_head(head);
    Arguments own = arguments;
    own.query = part_of(arguments.query, head, 1);
    own.key = part_of(arguments.key, kv_head, one.shape.keys);
    own.value = part_of(arguments.value, kv_head, one.shape.keys);
    own.out = part_of(arguments.out, head, 1);
    own.log_sum_exp = part_of(arguments.log_sum_exp, head, 1);
    honest.forward(one, own, device);
  }
}

const Registration<Mutant> registered{{
    .name = "causal_among_packed_heads",
    .summary = "packs the heads of a kv head as rows, and takes the rows for tokens where it masks",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2/1x1x3x1 mask=causal",
    .kernel = [] { return tampered_kernel("causal_among_packed_heads", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
