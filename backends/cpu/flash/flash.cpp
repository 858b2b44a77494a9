// SPDX-License-Identifier: Apache-2.0
// The flash kernel as the catalogue sees it: settings, limits, declared arithmetic, memory; and its jobs.
#include "backends/cpu/flash/flash.hpp"

#include "backends/cpu/attend/fixed_maxima.hpp"
#include "backends/cpu/parts/limits.hpp"
#include "backends/cpu/parts/sink_gradient.hpp"
#include "backends/cpu/parts/stored_rows.hpp"
#include "backends/cpu/parts/workers.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

const Registration<KernelEntry> registered{{
    .name = "flash",
    .summary = "FlashAttention-2 in tiles, forward and backward: exact, and the score matrix never exists",
    .settings = flash_settings(),
    .examples = {"block_q=1:block_kv=1:block_kv_dkv=1",
                 "block_q=3:block_kv=8:block_kv_compute=4:block_kv_dkv=8",
                 "block_q=7:block_kv=33:block_kv_compute=11:block_kv_dkv=6:block_kv_dkv_compute=3",
                 "block_q=16:block_kv=16:block_kv_dkv=16:workers=3",
                 "block_q=32:block_kv=64:block_kv_compute=16:block_kv_dkv=32",
                 "block_q=64:block_kv=32:block_kv_dkv=64",
                 "fused_backward=0",
                 "block_q=8:block_kv=16:fused_backward=0:block_q_dkv=4:block_kv_dkv=9:block_kv_dkv_compute=3:block_q_"
                 "dq=5:block_kv_dq=7",
                 "fused_backward=0:block_q_dkv=16:block_kv_dkv=32:block_q_dq=32:block_kv_dq=16",
                 "deterministic=0",
                 "block_q=16:block_kv=16:deterministic=0:block_kv_dkv=16",
                 "flash_min_seq_length=10",
                 "flash_min_seq_length=64",
                 "maximum=fixed",
                 "block_q=7:block_kv=33:block_kv_compute=11:maximum=fixed",
                 "products=floats",
                 "products=dots",
                 "block_q=7:block_kv=33:block_kv_compute=11:products=dots",
                 "block_q=16:block_kv=48:products=dots",
                 "products=tiles",
                 "block_q=7:block_kv=33:block_kv_compute=11:products=tiles",
                 "block_q=16:block_kv=16:products=tiles"},
    .make = [](const Settings& settings) -> SharedKernel { return std::make_shared<Flash>(settings); },
}};

/// One worker's buffers for the forward pass.
struct FlashScratch {
  FlashScratch(Device& device, const AttendExtents& extents)
      : attend(device, extents), state(device, extents.queries, extents.value_dim, extents.maxima) {}

  AttendScratch attend;
  AttendState state;
};

}  // namespace

Flash::Flash(const Settings& settings) : TiledKernel("flash", settings), asked_(flash_passes(settings)) {}

bool Flash::falls_back(const Problem& problem) const {
  return std::min(problem.shape.queries, problem.shape.keys) < setting("flash_min_seq_length");
}

bool Flash::wants_mask_bytes(const Problem& problem) const {
  return falls_back(problem) ? dense_.wants_mask_bytes(problem) : TiledKernel::wants_mask_bytes(problem);
}

std::vector<Adjustment> Flash::adjustments(const Problem& problem) const {
  std::vector<Adjustment> changes;
  if (falls_back(problem))
    changes.push_back({"kernel", "flash", dense_.name(),
                       "shorter than flash_min_seq_length=" + std::to_string(setting("flash_min_seq_length"))});
  else
    suited(problem, changes);
  return changes;
}

bool Flash::gradients_repeat(const Problem& problem) const {
  return falls_back(problem) || dquery() != DQuery::as_it_comes;
}

FlashPasses Flash::passes(const Problem& problem) const {
  std::vector<Adjustment> changes;
  return suited(problem, changes);
}

FlashPasses Flash::suited(const Problem& problem, std::vector<Adjustment>& changes) const {
  return suited_to_wide_heads(suited_to_short_keys(asked_, problem.shape, changes), problem,
                              flash_products(settings_, problem, changes), changes);
}

std::optional<PairProducts> Flash::products(const Problem& problem) const {
  std::vector<Adjustment> changes;
  return flash_products(settings_, problem, changes);
}

DQuery Flash::dquery() const {
  if (setting("fused_backward") == 0) return DQuery::elsewhere;
  return setting("deterministic") == 0 ? DQuery::as_it_comes : DQuery::in_order;
}

bool Flash::fixes_maxima(const Problem& problem) const {
  return settings_.text("maximum") == "fixed" && fixed_maximum::is_known(problem);
}

bool Flash::keeps_blocks(const Problem& problem) const {
  if (setting("flash_min_seq_length") > 0) return false;
  index keys = problem.shape.keys;
  for (index batch = 0; batch < problem.shape.batch; ++batch) keys = std::min(keys, problem.sequence(batch).keys);
  const auto steps_kept = [&](const AttendBlocks& asked) { return asked.compute == asked.keys || keys >= asked.keys; };
  if (!steps_kept(asked_.forward) || (problem.backward && !steps_kept(asked_.dkv))) return false;
  Problem longest = problem;
  longest.shape.queries = longest.shape.keys =
      std::max({asked_.forward.queries, asked_.forward.keys, asked_.dkv.keys, asked_.dq.keys});
  const FlashPasses blocks = passes(longest);
  return blocks.forward.compute == asked_.forward.compute && blocks.dkv.keys == asked_.dkv.keys &&
         blocks.dq.keys == asked_.dq.keys;
}

Numerics Flash::numerics(const Problem& problem) const {
  Numerics numerics = falls_back(problem) ? dense_.numerics(problem) : tiled_numerics(problem);
  numerics.invariant = keeps_blocks(problem) ? of_steps(problem) : Invariance::heads;
  return numerics;
}

Numerics Flash::tiled_numerics(const Problem& problem) const {
  Numerics numerics = float_numerics(problem, exp2_relative_error);
  numerics.tile_queries = asked_.forward.queries;
  numerics.weight.tile_keys = passes(problem).forward.compute;
  if (products(problem)) numerics.weight.cast = flushing_cast(problem.input);
  if (fixes_maxima(problem)) fixed_maximum::declare(numerics.weight);
  return numerics;
}

AttendExtents Flash::forward_extents(const Problem& problem) const {
  const AttendBlocks blocks = passes(problem).forward;
  return {problem, blocks.queries, blocks.compute, products(problem)};
}

index Flash::query_tiles(const Problem& problem) const {
  return tiles_of(problem.shape.queries, forward_extents(problem).queries);
}

index Flash::workers(const Problem& problem) const {
  const Shape& shape = problem.shape;
  const index jobs = shape.batch * shape.heads * query_tiles(problem);
  return useful_workers(setting("workers"), jobs, shape, shape.dim + shape.value_dim);
}

index Flash::forward_bytes(const Problem& problem) const {
  if (falls_back(problem)) return dense_.forward_bytes(problem);
  const AttendExtents extents = forward_extents(problem);
  const index state = AttendState::bytes(extents.queries, extents.value_dim, extents.maxima);
  const index scratch = AttendScratch::bytes(extents) + state;
  return workers(problem) * scratch + (fixes_maxima(problem) ? FixedMaxima::bytes(problem) : 0);
}

void Flash::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  if (falls_back(problem)) return dense_.forward(problem, arguments, device);
  std::optional<FixedMaxima> fixed;
  if (fixes_maxima(problem)) fixed.emplace(problem, arguments, device);
  const auto begin = [&](const AttendedHead& head, AttendState& state) {
    if (fixed) fixed->begin(head, state);
  };
  attend_all(problem, arguments, device, begin,
             [&](const Attend& attend, const AttendedHead& head, AttendState& state, AttendScratch& scratch) {
               attend.store(head, state, arguments, scratch);
             });
}

void Flash::forward_partials(const Problem& problem, const PartialArguments& arguments, Device& device) const {
  const auto begin = [&](const AttendedHead& head, AttendState& state) {
    if (!arguments.m_is_given) return;
    state.fix(state.queries().last + 1,
              [&](index query) { return static_cast<float>(arguments.m.value(head.batch, head.head, query, 0)); });
  };
  attend_all(problem, arguments, device, begin,
             [&](const Attend& attend, const AttendedHead& head, AttendState& state, AttendScratch& scratch) {
               attend.store_partial(head, state, arguments, scratch);
             });
}

template <class AnyArguments, class Begin, class Store>
void Flash::attend_all(const Problem& problem, const AnyArguments& arguments, Device& device, Begin begin,
                       Store store) const {
  const AttendExtents extents = forward_extents(problem);
  const Attend attend(problem, arguments, extents);
  const std::vector<AttendedHead> heads = attended_heads(problem, arguments);
  const index tiles = query_tiles(problem);
  Workers<FlashScratch> workers(this->workers(problem), device, extents);
  const index jobs = static_cast<index>(heads.size()) * tiles;
  // Tiles of a head follow each other, so that its keys stay in the cache; the last ones, which see most keys where the
  // mask is causal, come first, so that no thread ends with them.
  const auto head_of = [&](index job) -> const AttendedHead& { return heads[static_cast<std::size_t>(job / tiles)]; };
  const auto queries_of = [&](index job) -> Interval {
    const index first = (tiles - 1 - job % tiles) * extents.queries;
    return {first, std::min(first + extents.queries, stored_rows(problem, head_of(job).batch).queries) - 1};
  };
  const auto rows_of = [&](const ConstView& view, index job) -> ComingRows {
    return job < jobs ? coming_rows(view, head_of(job).batch, head_of(job).head, queries_of(job)) : ComingRows{};
  };
  workers.for_each(jobs, [&](index job, FlashScratch& scratch) {
    const AttendedHead& head = head_of(job);
    const Interval queries = queries_of(job);
    if (queries.count() == 0) return;
    attend.load_queries(head, queries, scratch.attend);
    scratch.attend.afterwards = {rows_of(arguments.out, job), rows_of(arguments.query, likely_next(job))};
    scratch.state.start(queries, head.sink.start());
    begin(head, scratch.state);
    attend.take_in(head, {0, head.sequence.keys - 1}, scratch.state, scratch.attend);
    store(attend, head, scratch.state, scratch.attend);
    device.compute(std::exchange(scratch.attend.work, {}));
  });
}

index Flash::backward_bytes(const Problem& problem) const {
  if (falls_back(problem)) return dense_.backward_bytes(problem);
  const index most = setting("workers");
  const index key_pass = KeyPass(problem, passes(problem).dkv, dquery(), most).bytes();
  const index query_pass = dquery() == DQuery::elsewhere ? QueryPass(problem, passes(problem).dq, most).bytes() : 0;
  return std::max({key_pass, query_pass, sink_gradient_bytes(problem)});
}

void Flash::backward(const Problem& problem, const BackwardArguments& arguments, Device& device) const {
  if (falls_back(problem)) return dense_.backward(problem, arguments, device);
  const index most = setting("workers");
  KeyPass(problem, passes(problem).dkv, dquery(), most).run(arguments, device);
  if (dquery() == DQuery::elsewhere) QueryPass(problem, passes(problem).dq, most).run(arguments, device);
  store_sink_gradient(problem, arguments, device);
}

}  // namespace attestone::inline backends
