// SPDX-License-Identifier: Apache-2.0
// The flash kernel as the catalogue sees it: settings, limits, declared arithmetic, memory; and its jobs.
#include "backends/cpu/flash/flash.hpp"

#include "backends/cpu/flash/backward.hpp"
#include "backends/cpu/flash/forward.hpp"
#include "backends/cpu/parts/limits.hpp"
#include "backends/cpu/parts/sink_gradient.hpp"
#include "backends/cpu/parts/workers.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<KernelEntry> registered{{
    .name = "flash",
    .summary = "FlashAttention-2 in tiles, forward and backward: exact, and the score matrix never exists",
    .settings = flash_settings(),
    .make = [](const Settings& settings) -> SharedKernel { return std::make_shared<Flash>(settings); },
}};

}  // namespace

Flash::Flash(const Settings& settings) : settings_(settings), asked_(flash_passes(settings)) {}

std::string Flash::name() const { return kernel_text(*Registry<KernelEntry>::find("flash"), settings_); }

Support Flash::supports(const Problem& problem) const { return common_limits(problem); }

bool Flash::falls_back(const Problem& problem) const {
  return std::min(problem.shape.queries, problem.shape.keys) < settings_.integer("flash_min_seq_length");
}

bool Flash::wants_mask_bytes(const Problem& problem) const {
  return falls_back(problem) ? dense_.wants_mask_bytes(problem) : VisibleTiles::need_bytes(problem);
}

std::vector<Adjustment> Flash::adjustments(const Problem& problem) const {
  std::vector<Adjustment> changes;
  if (falls_back(problem))
    changes.push_back(
        {"kernel", "flash", dense_.name(),
         "shorter than flash_min_seq_length=" + std::to_string(settings_.integer("flash_min_seq_length"))});
  else
    suited_to_short_keys(asked_, problem.shape, changes);
  return changes;
}

bool Flash::gradients_repeat(const Problem& problem) const {
  return falls_back(problem) || dquery() != DQuery::as_it_comes;
}

FlashPasses Flash::passes(const Problem& problem) const {
  std::vector<Adjustment> changes;
  return suited_to_short_keys(asked_, problem.shape, changes);
}

DQuery Flash::dquery() const {
  if (settings_.integer("fused_backward") == 0) return DQuery::elsewhere;
  return settings_.integer("deterministic") == 0 ? DQuery::as_it_comes : DQuery::in_order;
}

Numerics Flash::numerics(const Problem& problem) const {
  if (falls_back(problem)) return dense_.numerics(problem);
  Numerics numerics = float_numerics(problem, exp2_relative_error);
  numerics.tile_queries = asked_.forward.queries;
  numerics.weight.tile_keys = passes(problem).forward.compute;
  return numerics;
}

index Flash::workers(const Problem& problem) const {
  const Shape& shape = problem.shape;
  const FlashTiles tiles(passes(problem).forward, problem);
  const index jobs = shape.batch * shape.heads * tiles.query_tiles(shape.queries);
  return useful_workers(settings_.integer("workers"), jobs, shape.rows() * shape.keys * (shape.dim + shape.value_dim));
}

index Flash::forward_bytes(const Problem& problem) const {
  if (falls_back(problem)) return dense_.forward_bytes(problem);
  return workers(problem) * FlashScratch::bytes(FlashTiles(passes(problem).forward, problem));
}

void Flash::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  if (falls_back(problem)) return dense_.forward(problem, arguments, device);
  const Shape& shape = problem.shape;
  const FlashTiles tiles(passes(problem).forward, problem);
  const index query_tiles = tiles.query_tiles(shape.queries);
  const FlashForward forward(problem, arguments, tiles);
  Workers<FlashScratch> workers(this->workers(problem), device, tiles);
  workers.for_each(shape.batch * shape.heads * query_tiles, [&](index job, FlashScratch& scratch) {
    const index head = job / query_tiles % shape.heads, batch = job / query_tiles / shape.heads;
    forward.run({problem, arguments, batch, head, job % query_tiles * tiles.queries}, scratch);
    device.compute(std::exchange(scratch.work, {}));
  });
}

index Flash::backward_bytes(const Problem& problem) const {
  if (falls_back(problem)) return dense_.backward_bytes(problem);
  const index most = settings_.integer("workers");
  const index key_pass = FlashKeyPass(problem, passes(problem).dkv, dquery(), most).bytes();
  const index query_pass =
      dquery() == DQuery::elsewhere ? FlashQueryPass(problem, passes(problem).dq, most).bytes() : 0;
  return std::max({key_pass, query_pass, sink_gradient_bytes(problem)});
}

void Flash::backward(const Problem& problem, const BackwardArguments& arguments, Device& device) const {
  if (falls_back(problem)) return dense_.backward(problem, arguments, device);
  const index most = settings_.integer("workers");
  FlashKeyPass(problem, passes(problem).dkv, dquery(), most).run(arguments, device);
  if (dquery() == DQuery::elsewhere) FlashQueryPass(problem, passes(problem).dq, most).run(arguments, device);
  store_sink_gradient(problem, arguments, device);
}

}  // namespace attestone
