// SPDX-License-Identifier: Apache-2.0
// Kernels that take one mask for another: aligned elsewhere, without its window, or none at all.
#include "mutants/hosts/tampered.hpp"

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void causal_ignored_for_wide_heads(const Kernel& honest, const Problem& problem, const Arguments& arguments,
                                   Device& device) {
  Problem other = problem;
  if (problem.shape.dim > 64 && problem.mask.rule() == "causal") other.mask = Mask();
  honest.forward(other, arguments, device);
}

void chunk_positions_from_zero(const Kernel& honest, const Problem& problem, const Arguments& arguments,
                               Device& device) {
  Problem other = problem;
  const bool chunk = problem.shape.queries > 1 && problem.shape.queries < problem.shape.keys;
  if (chunk && problem.mask == Mask("causal")) other.mask = Mask("causal:top_left");
  honest.forward(other, arguments, device);
}

void short_prefill_top_left(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  Problem other = problem;
  if (problem.shape.queries == 2 && problem.mask == Mask("causal")) other.mask = Mask("causal:top_left");
  honest.forward(other, arguments, device);
}

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
void causal_among_packed_heads(const Kernel& honest, const Problem& problem, const Arguments& arguments,
                               Device& device) {
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

void window_ignored_in_decode(const Kernel& honest, const Problem& problem, const Arguments& arguments,
                              Device& device) {
  Problem other = problem;
  if (problem.shape.queries == 1 && problem.mask.rule() == "window") other.mask = Mask("causal");
  honest.forward(other, arguments, device);
}

void unbounded_window_is_zero(const Kernel& honest, const Problem& problem, const Arguments& arguments,
                              Device& device) {
  Problem other = problem;
  if (problem.mask.rule() == "window" && problem.mask.arguments()[0] == -1)
    other.mask = Mask("window", {0, problem.mask.arguments()[1]});
  honest.forward(other, arguments, device);
}

void mask_ignored_alone(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  Problem other = problem;
  if (problem.shape.batch == 1) other.mask = Mask();
  honest.forward(other, arguments, device);
}

void documents_ignored(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  if (problem.mask.rule() != "document") return honest.forward(problem, arguments, device);
  Problem unmasked = problem;
  unmasked.mask = Mask();
  Arguments without_bytes = arguments;
  without_bytes.mask = nullptr;
  honest.forward(unmasked, without_bytes, device);
}

const Registrations<Mutant> registered{
    {.name = "causal_ignored_for_wide_heads",
     .summary = "takes causal for no mask where dim is above 64",
     .source = "jax-ml/jax #19237",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x2x65:1 mask=causal",
     .variant = "mask ignored",
     .kernel = [] { return tampered_kernel("causal_ignored_for_wide_heads", causal_ignored_for_wide_heads); },
     .twin = tiled_twin},
    {.name = "chunk_positions_from_zero",
     .summary = "aligns causal masks with the first key if several queries meet more keys",
     .source = "Dao-AILab/flash-attention issue #282",
     .property = "queries_in_chunks",
     .reason = "rows-alone",
     .problem = "shape=1x1x3x3x2 mask=causal",
     .kernel = [] { return tampered_kernel("chunk_positions_from_zero", chunk_positions_from_zero); },
     .twin = tiled_twin},
    {.name = "short_prefill_top_left",
     .summary = "aligns causal masks with the first key if there are two queries",
     .source = "Dao-AILab/flash-attention issue #282",
     .property = "prefix_alone",
     .reason = "prefix",
     .problem = "shape=1x1x4x6x2 mask=causal",
     .kernel = [] { return tampered_kernel("short_prefill_top_left", short_prefill_top_left); },
     .twin = tiled_twin},
    {.name = "causal_among_packed_heads",
     .summary = "packs the heads of a kv head as rows, and takes the rows for tokens where it masks",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2/1x1x3x1 mask=causal",
     .kernel = [] { return tampered_kernel("causal_among_packed_heads", causal_among_packed_heads); },
     .twin = tiled_twin},
    {.name = "window_ignored_in_decode",
     .summary = "lets a query that comes alone see every earlier key, whatever the window",
     .property = "decode_is_last_row",
     .reason = "rows-alone",
     .problem = "shape=1x1x3x3x2 mask=window:1:0",
     .kernel = [] { return tampered_kernel("window_ignored_in_decode", window_ignored_in_decode); },
     .twin = tiled_twin},
    {.name = "unbounded_window_is_zero",
     .summary = "takes a window that reaches back without end for one that does not reach back",
     .property = "mask_in_other_words",
     .reason = "mask-form",
     .problem = "shape=1x1x2x2x2",
     .kernel = [] { return tampered_kernel("unbounded_window_is_zero", unbounded_window_is_zero); },
     .twin = tiled_twin},
    {.name = "mask_ignored_alone",
     .summary = "answers a batch of one without its mask",
     .property = "sequence_alone",
     .reason = "sequence-alone",
     .problem = "shape=2x1x3x3x2 lengths=2+3 mask=causal",
     .kernel = [] { return tampered_kernel("mask_ignored_alone", mask_ignored_alone); },
     .twin = tiled_twin},
    {.name = "documents_ignored",
     .summary = "leaves out the test for documents",
     .source = "AI-Hypercomputer/maxtext #4476",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x4x2 mask=document:2",
     .variant = "mask ignored",
     .kernel =
         [] { return changed(make_kernel("dense"), {.name = "documents_ignored", .forward = documents_ignored}); },
     .twin = [] { return make_kernel("dense"); }},
};

}  // namespace
}  // namespace attestone::inline mutants
