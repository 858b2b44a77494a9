// SPDX-License-Identifier: Apache-2.0
// The decode kernel as the catalogue sees it: settings, limits, declared arithmetic, memory.
#include "backends/cpu/decode/decode.hpp"

#include "backends/cpu/decode/decode_call.hpp"
#include "backends/cpu/parts/limits.hpp"
#include "backends/cpu/parts/sink_gradient.hpp"
#include "backends/cpu/parts/workers.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<KernelEntry> registered{{
    .name = "decode",
    .summary = "few queries, all heads of a kv head together, against parts of the keys; reads K and V once; exact",
    .settings = {{"rows", "16", integers_from(1), "queries, of all heads of a kv head, that one worker keeps"},
                 {"block_kv", "128", integers_from(1), "keys per step of the softmax"},
                 {"part_keys", "8192", integers_from(1), "keys of a part; parts are merged at the end"},
                 {"workers", "16", integers_from(1), "threads at the most, each with scratch memory of its own"}},
    .make = [](const Settings& settings) -> SharedKernel { return std::make_shared<Decode>(settings); },
}};

}  // namespace

Decode::Decode(const Settings& settings) : settings_(settings) {}

std::string Decode::name() const { return kernel_text(*Registry<KernelEntry>::find("decode"), settings_); }

Support Decode::supports(const Problem& problem) const { return common_limits(problem); }

bool Decode::wants_mask_bytes(const Problem& problem) const { return VisibleTiles::need_bytes(problem); }

Numerics Decode::numerics(const Problem& problem) const {
  const Shape& shape = problem.shape;
  Numerics numerics = float_numerics(problem, exp2_relative_error);
  numerics.tile_queries = std::max<index>(settings_.integer("rows") / (shape.heads / shape.kv_heads), 1);
  numerics.weight.tile_keys = settings_.integer("block_kv");
  numerics.merge.parts = parts_of(shape.keys, settings_.integer("part_keys"));
  if (numerics.merge.parts == 1) return numerics;
  numerics.merge.form = MergeForm::rescaled_sums;
  numerics.merge.exp_error = exp2_relative_error;
  return numerics;
}

RowExtents Decode::extents(const Problem& problem) const {
  return {problem, settings_.integer("rows"), settings_.integer("block_kv")};
}

index Decode::states(const Problem& problem) const {
  const Shape& shape = problem.shape;
  return shape.batch * shape.kv_heads * row_tiles_of(shape, extents(problem).rows) *
         parts_of(shape.keys, settings_.integer("part_keys"));
}

index Decode::workers(const Problem& problem) const {
  const Shape& shape = problem.shape;
  return useful_workers(settings_.integer("workers"), states(problem),
                        shape.rows() * shape.keys * (shape.dim + shape.value_dim));
}

index Decode::forward_bytes(const Problem& problem) const {
  const RowExtents e = extents(problem);
  return workers(problem) * RowScratch::bytes(e) + states(problem) * RowState::bytes(e.rows, e.value_dim);
}

void Decode::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  DecodeCall(problem, arguments, extents(problem), settings_.integer("part_keys"), device).run(workers(problem));
}

KeyPass Decode::backward_pass(const Problem& problem) const {
  const index keys = settings_.integer("block_kv");
  return {problem, {panel_queries, keys, keys}, DQuery::in_order, settings_.integer("workers")};
}

index Decode::backward_bytes(const Problem& problem) const {
  return std::max(backward_pass(problem).bytes(), sink_gradient_bytes(problem));
}

void Decode::backward(const Problem& problem, const BackwardArguments& arguments, Device& device) const {
  backward_pass(problem).run(arguments, device);
  store_sink_gradient(problem, arguments, device);
}

}  // namespace attestone
