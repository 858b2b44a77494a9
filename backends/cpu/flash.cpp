// SPDX-License-Identifier: Apache-2.0
// The flash kernel as the catalogue sees it: settings, limits, declared arithmetic, memory; and its threads.
#include "backends/cpu/flash.hpp"

#include <deque>
#include <omp.h>

#include "backends/cpu/flash_forward.hpp"
#include "backends/cpu/limits.hpp"
#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

const Registration<KernelEntry> registered{{
    .name = "flash",
    .summary = "FlashAttention-2 in tiles: exact, and the score matrix never exists",
    .settings = {{"block_q", 64, 1, "queries that one worker keeps"},
                 {"block_kv", 128, 1, "keys that are loaded at a time"},
                 {"block_kv_compute", 0, 0, "keys per step of the softmax; divides block_kv; 0: block_kv"},
                 {"workers", 16, 1, "threads at the most, each with scratch memory of its own"}},
    .make = [](const Settings& settings) { return AnyKernel(Flash(settings)); },
}};

// Waking a thread costs as much as some thousands of products, and a spinning one robs its neighbours.
constexpr index products_per_worker = index{1} << 18;

}  // namespace

Flash::Flash(const Settings& settings) : settings_(settings) {
  const index keys = settings.at("block_kv"), compute = settings.at("block_kv_compute");
  blocks_ = {settings.at("block_q"), keys, compute == 0 ? keys : compute};
  if (keys % blocks_.compute != 0)
    throw UserError("block_kv_compute=" + std::to_string(compute) + " does not divide block_kv=" + std::to_string(keys),
                    "a loaded block of keys is worked on in equal steps, as in block_kv=128:block_kv_compute=64");
}

std::string Flash::name() const { return kernel_text(*Registry<KernelEntry>::find("flash"), settings_); }

Support Flash::supports(const Problem& problem) const {
  if (const auto rule = TileMask::unknown_rule(problem.mask))
    return Support::refused("knows masks that are bands of diagonals, not " + *rule);
  return cpu_limits(problem);
}

Numerics Flash::numerics(const Problem& problem) const {
  Numerics numerics = float_numerics(problem);
  numerics.exp_error = exp2_relative_error;
  numerics.log_error = dtype("f64").unit_roundoff() * 2;  // log_sum_exp is put together in double
  // 2^x is flushed below the normal range of f32 before it is cast.
  numerics.weight_underflow += dtype("f32").smallest_normal();
  numerics.tile_queries = blocks_.queries;
  numerics.tile_keys = blocks_.compute;
  return numerics;
}

index Flash::workers(const Problem& problem) const {
  const Shape& shape = problem.shape;
  const index jobs = shape.batch * shape.heads * FlashTiles(blocks_, shape).query_tiles(shape.queries);
  const index products = shape.rows() * shape.keys * (shape.dim + shape.value_dim);
  const index worth_waking = 1 + products / products_per_worker;
  return std::min({settings_.at("workers"), jobs, worth_waking});
}

index Flash::workspace_bytes(const Problem& problem) const {
  return workers(problem) * FlashScratch::bytes(FlashTiles(blocks_, problem.shape));
}

void Flash::run(const Problem& problem, Arguments& arguments) const {
  const Shape& shape = problem.shape;
  const FlashTiles tiles(blocks_, shape);
  const index query_tiles = tiles.query_tiles(shape.queries), jobs = shape.batch * shape.heads * query_tiles;
  std::vector<TileMask> masks;
  for (index batch = 0; batch < shape.batch; ++batch)
    masks.push_back(*TileMask::of(problem.mask, problem.sequence(batch)));
  // One scratch for every worker, borrowed before the work begins: the peak depends neither on who comes first nor on
  // how many threads there are.
  std::deque<FlashScratch> scratch;
  for (index worker = 0; worker < workers(problem); ++worker) scratch.emplace_back(arguments.workspace, tiles);
  const int team = std::clamp(static_cast<int>(workers(problem)), 1, omp_get_max_threads());

  const FlashForward forward(problem, arguments, tiles);
#pragma omp parallel for schedule(dynamic) num_threads(team)
  for (index job = 0; job < jobs; ++job) {
    const index head = job / query_tiles % shape.heads, batch = job / query_tiles / shape.heads;
    const QueryTile tile{batch, head, job % query_tiles * tiles.queries, problem.sequence(batch),
                         masks[static_cast<std::size_t>(batch)]};
    forward.run(tile, scratch[static_cast<std::size_t>(omp_get_thread_num())]);
  }
}

}  // namespace attestone
