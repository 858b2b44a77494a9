// SPDX-License-Identifier: Apache-2.0
// The decode kernel as the catalogue sees it: settings, limits, declared arithmetic, memory.
#include "backends/cpu/decode/decode.hpp"

#include "backends/cpu/decode/decode_call.hpp"
#include "backends/cpu/parts/limits.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

const Registration<KernelEntry> registered{{
    .name = "decode",
    .summary = "few queries, all heads of a kv head together, against parts of the keys; reads K and V once; exact",
    .settings = {{"rows", "16", integers_from(1), "queries, of all heads of a kv head, that one worker keeps"},
                 {"block_kv", "2048", integers_from(1), "keys per step of the softmax"},
                 {"part_keys", "8192", integers_from(1), "keys of a part; parts are merged at the end"},
                 {"workers", "16", integers_from(1), "threads at the most, each with scratch memory of its own"}},
    .examples = {"rows=1:block_kv=3:part_keys=5", "rows=3:block_kv=16:part_keys=24",
                 "rows=5:block_kv=16:part_keys=33:workers=3"},
    .make = [](const Settings& settings) -> SharedKernel { return std::make_shared<Decode>(settings); },
}};

/// Sums are by the place of a key in the step, and what is hidden adds 0 there: so rows are independent of each other
/// and of hidden keys wherever the steps of all of them begin with the first key.
Invariance invariance_of_rows(const Problem& problem) {
  const std::string mask = problem.mask.text();
  const bool from_first_key = mask == "full" || mask == "causal" || mask == "causal:top_left";
  return from_first_key ? of_steps(problem) | Invariance::chunks | Invariance::hidden_keys : of_steps(problem);
}

}  // namespace

Decode::Decode(const Settings& settings) : MergingKernel("decode", settings) {}

Numerics Decode::numerics(const Problem& problem) const {
  const Shape& shape = problem.shape;
  Numerics numerics = float_numerics(problem, exp2_relative_error);
  numerics.tile_queries = std::max<index>(setting("rows") / (shape.heads / shape.kv_heads), 1);
  numerics.weight.tile_keys = setting("block_kv");
  numerics.invariant = invariance_of_rows(problem);
  numerics.merge.parts = parts_of(shape.keys, setting("part_keys"));
  if (numerics.merge.parts == 1) return numerics;
  numerics.merge.form = MergeForm::rescaled_sums;
  numerics.merge.exp_error = exp2_relative_error;
  return numerics;
}

RowExtents Decode::extents(const Problem& problem) const { return {problem, setting("rows"), setting("block_kv")}; }

index Decode::states(const Problem& problem) const {
  const Shape& shape = problem.shape;
  return shape.batch * shape.kv_heads * row_tiles_of(shape, extents(problem).rows) *
         parts_of(shape.keys, setting("part_keys"));
}

index Decode::forward_bytes(const Problem& problem) const {
  const RowExtents e = extents(problem);
  return workers(problem) * RowScratch::bytes(e) + states(problem) * RowState::bytes(e.rows, e.value_dim);
}

void Decode::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  DecodeCall(problem, arguments, extents(problem), setting("part_keys"), device).run(workers(problem));
}

AttendBlocks Decode::backward_blocks() const {
  constexpr index keys_in_cache = 128;  // the forward pass only streams its tiles
  const index keys = std::min(setting("block_kv"), keys_in_cache);
  return {panel_queries, keys, keys};
}

}  // namespace attestone::inline backends
