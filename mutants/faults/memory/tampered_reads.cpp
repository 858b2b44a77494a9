// SPDX-License-Identifier: Apache-2.0
// Kernels that read what does not belong to a row: other heads, other sequences, padding, or what an offset of 31
// bits finds.
#include <algorithm>

#include "mutants/hosts/changed_copy.hpp"
#include "mutants/hosts/narrow_offsets.hpp"
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/call/tensors.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void broadcast_ignored_in_small_calls(const Kernel& honest, const Problem& problem, const Arguments& arguments,
                                      Device& device) {
  const bool is_shared = shares_places(problem) && problem.shape.queries < 4;
  const ConstView& right = arguments.key;
  const Tensor key = changed_copy(right, [&](double x, const Extents& at) {
    const index batch = std::min(at[0] + at[1], problem.shape.batch - 1);
    return is_shared && at[2] < right.rows(batch) ? right.value(batch, at[1], at[2], at[3]) : x;
  });
  Arguments advanced = arguments;
  advanced.key = key.view();
  honest.forward(problem, advanced, device);
}

void cache_slice_taken_for_whole(const Kernel& honest, const Problem& problem, const Arguments& arguments,
                                 Device& device) {
  const ConstView& key = arguments.key;
  const Strides packed = packed_strides(key.extents());
  const bool rows_are_packed = key.strides()[2] == packed[2] && key.strides()[3] == packed[3];
  Arguments flattened = arguments;
  if (key.row_map().dense() && rows_are_packed && key.strides()[1] > packed[1]) {
    Strides strides = key.strides();
    strides[1] = packed[1];
    flattened.key = {key.data(), key.dtype(), key.extents(), strides};
  }
  honest.forward(problem, flattened, device);
}

void one_key_tail_repeats(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  const bool is_shared = shares_places(problem) && problem.shape.keys % TiledSteps::tile == 1;
  const ConstView& right = arguments.key;
  const Tensor key = changed_copy(right, [&](double x, const Extents& at) {
    const bool is_tail = is_shared && at[1] > 0 && at[2] == problem.shape.keys - 1;
    return is_tail ? right.value(at[0], at[1], 0, at[3]) : x;
  });
  Arguments shifted = arguments;
  shifted.key = key.view();
  honest.forward(problem, shifted, device);
}

void key_offsets_in_31_bits(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  const Tensor key = read_by_narrow_offsets(arguments.key);
  Arguments misread = arguments;
  misread.key = key.view();
  honest.forward(problem, misread, device);
}

void neighbour_query_times_zero(const Kernel& honest, const Problem& problem, const Arguments& arguments,
                                Device& device) {
  honest.forward(problem, arguments, device);
  const index last = problem.shape.queries - 1;
  if (last < 1 || !arguments.out.row_map().dense()) return;
  arguments.out.set(0, 0, 0, 0, arguments.out.value(0, 0, 0, 0) + 0 * arguments.query.value(0, 0, last, 0));
}

void neighbour_times_zero(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  if (problem.shape.rows() == 0 || problem.shape.keys == 0) return;
  const double neighbour = arguments.value.value(0, 0, 0, 0);
  for (index b = 1; b < problem.shape.batch; ++b)
    arguments.out.set(b, 0, 0, 0, arguments.out.value(b, 0, 0, 0) + 0 * neighbour);
}

void padding_times_zero(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  for (index b = 0; b < problem.shape.batch; ++b) {
    const Sequence own = problem.sequence(b);
    if (own.keys == problem.shape.keys || own.queries == 0) continue;
    arguments.out.set(b, 0, 0, 0, arguments.out.value(b, 0, 0, 0) + 0 * arguments.value.value(b, 0, own.keys, 0));
  }
}

void output_times_zero(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  if (problem.shape.rows() == 0) return;
  const double before = arguments.out.value(0, 0, 0, 0);
  honest.forward(problem, arguments, device);
  arguments.out.set(0, 0, 0, 0, 0 * before + arguments.out.value(0, 0, 0, 0));
}

void sink_times_zero(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  if (!arguments.sink) return;
  for_each_element(arguments.out, [&](index b, index h, index i, index c) {
    arguments.out.set(b, h, i, c, arguments.out.value(b, h, i, c) + 0 * arguments.sink->value(0, h, 0, 0));
  });
}

const Registrations<Mutant> registered{
    {.name = "broadcast_ignored_in_small_calls",
     .summary = "ignores a stride of 0 between heads where there are few queries, and reads the next sequence",
     .source = "ml-explore/mlx #3480",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=2x2x1x2x1 layout=broadcast",
     .kernel = [] { return tampered_kernel("broadcast_ignored_in_small_calls", broadcast_ignored_in_small_calls); },
     .twin = tiled_twin},
    {.name = "cache_slice_taken_for_whole",
     .summary = "takes a head of K for as long as its rows, where rows that nobody asks for lie behind them",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x1x2x1 spare_rows=1",
     .kernel = [] { return tampered_kernel("cache_slice_taken_for_whole", cache_slice_taken_for_whole); },
     .twin = tiled_twin},
    {.name = "one_key_tail_repeats",
     .summary = "reads a last tile of one key as if heads did not share K",
     .source = "pytorch/pytorch #191937",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x1x17x1 layout=broadcast",
     .kernel = [] { return tampered_kernel("one_key_tail_repeats", one_key_tail_repeats); },
     .twin = tiled_twin},
    {.name = "key_offsets_in_31_bits",
     .summary = "keeps the offset of an element of K in 31 bits, which a cache of many sequences leaves",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x1 layout=bhsd+key/sparse",
     .kernel = [] { return tampered_kernel("key_offsets_in_31_bits", key_offsets_in_31_bits); },
     .twin = tiled_twin},
    {.name = "neighbour_query_times_zero",
     .summary = "adds 0 times the last query to the first row",
     .property = "rows_independent",
     .reason = "row-leak",
     .problem = "shape=1x1x2x2x2",
     .kernel = [] { return tampered_kernel("neighbour_query_times_zero", neighbour_query_times_zero); },
     .twin = tiled_twin},
    {.name = "neighbour_times_zero",
     .summary = "adds 0 times a value of the first sequence to every other one, and 0 * NaN is NaN",
     .source = "flashinfer-ai/flashinfer PR #942",
     .property = "batches_independent",
     .reason = "batch-leak",
     .problem = "shape=2x1x1x1x1",
     .kernel = [] { return tampered_kernel("neighbour_times_zero", neighbour_times_zero); },
     .twin = tiled_twin},
    {.name = "padding_times_zero",
     .summary = "adds 0 times the value behind the last key of a padded sequence, and 0 * NaN is NaN",
     .source = "pytorch/pytorch issue #101967",
     .property = "padding_irrelevant",
     .reason = "padding",
     .problem = "shape=1x1x1x2x1",
     .kernel = [] { return tampered_kernel("padding_times_zero", padding_times_zero); },
     .twin = tiled_twin},
    {.name = "output_times_zero",
     .summary = "starts from 0 times what the output held, and 0 * NaN is NaN",
     .property = "guards",
     .reason = "depends-on-poison",
     .problem = "shape=1x1x1x1x1",
     .kernel = [] { return tampered_kernel("output_times_zero", output_times_zero); },
     .twin = tiled_twin},
    {.name = "sink_times_zero",
     .summary = "adds 0 times the logit of the sink, which is NaN if the sink is none",
     .property = "silent_sink",
     .reason = "neutral-term",
     .problem = "shape=1x1x1x2x1",
     .kernel = [] { return tampered_kernel("sink_times_zero", sink_times_zero); },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
