// SPDX-License-Identifier: Apache-2.0
// The steps of ring attention, forward and backward.
#include "backends/distributed/methods/ring.hpp"

#include <utility>

#include "backends/distributed/methods/context_parallel.hpp"
#include "backends/distributed/methods/gathered_ring.hpp"
#include "backends/distributed/methods/masked_line.hpp"
#include "backends/distributed/methods/travelling_keys.hpp"
#include "backends/distributed/rank/local_steps.hpp"
#include "backends/distributed/rank/ring_norms.hpp"
#include "backends/distributed/rank/running_answer.hpp"
#include "backends/distributed/rank/staying_queries.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

const Registration<RankProgramEntry> registered{{
    .name = "ring",
    .summary = "queries stay, keys and values go round a ring of devices",
    .settings = ContextParallel::ring_settings(),
    .examples = ContextParallel::ring_examples(),
    .meshes = {"ring:1", "ring:2", "ring:5", "ring:3+batch:2"},
    .make = [](const Settings& settings) -> std::shared_ptr<const RankProgram> {
      return std::make_shared<ContextParallel>("ring", std::vector<std::string_view>{"ring", "batch"}, settings);
    },
}};

}  // namespace

Task<RankAnswer> ring_forward(Rank& rank, RankInputs held, RingVariant variant) {
  const index N = rank.ring.size();
  const LocalQueries queries{rank.queries.of_ring(rank.ring.place), rank.held_heads(), held.query};
  if (N == 1) co_return local_forward(rank, held, queries);
  if (variant.hops == Hops::first) {
    Task<RankAnswer> gathered = gathered_ring_forward(rank, std::move(held), variant);
    co_return co_await gathered;
  }
  if (variant.hops == Hops::to_both_ends) {
    Task<RankAnswer> line = masked_line_forward(rank, std::move(held), variant);
    co_return co_await line;
  }

  std::optional<Buffer> norms;
  if (variant.merge == MergeForm::shared_maximum) {
    Task<Buffer> gathered = gather_norms(rank, held);
    norms = co_await gathered;
  }
  const auto answer = norms && fixed_maxima_hold(rank, *norms)
                          ? running_answer(rank, queries, *norms)
                          : running_answer(variant.merge, rank, queries, *variant.part);
  norms.reset();
  TravellingKeys keys(rank, {std::move(held.key), std::move(held.value)}, variant);
  for (index step = 0; step < N; ++step) {
    keys.send();
    const auto blocks = rank.attention.blocks(queries, keys.here().rows);
    if (!blocks.empty()) answer->take_in(blocks, queries, keys.here());
    Task<> arrived = keys.arrive();
    co_await arrived;
  }
  keys.release();
  held.query.release();
  co_return answer->finish();
}

Task<RankGradients> ring_backward(Rank& rank, RankSaved saved, RingVariant variant) {
  const index N = rank.ring.size();
  if (N == 1) {
    const LocalQueries own{rank.queries.of_ring(rank.ring.place), rank.held_heads(), saved.query};
    co_return local_backward(rank, saved, own, *variant.key_gradients);
  }
  if (variant.hops == Hops::first) {
    Task<RankGradients> gathered = gathered_ring_backward(rank, std::move(saved), variant);
    co_return co_await gathered;
  }
  StayingQueries queries(rank, saved);
  TravellingKeys keys(rank, {std::move(saved.key), std::move(saved.value)}, variant);
  std::optional<KeyValue> sums;  // of dK and dV, as far as the ranks behind have come
  Hop next_sums;
  for (index step = 0; step < N; ++step) {
    const index next_rows = keys.next_rows();
    keys.send();
    std::optional<KeyValue> share = queries.share(keys.here(), *variant.sums, step == 0);
    if (step == 0) {
      sums = std::move(share);
    } else {
      Task<> arrived = next_sums.finished();
      co_await arrived;
      sums = sum_of(*std::move(next_sums.coming), share);
      share.reset();
    }
    Task<> here = keys.arrive();
    co_await here;
    next_sums = hop(rank, rank.ring, 1, *sums, "sum of dKV", next_rows, variant.messages);
  }
  Task<> home = next_sums.finished();
  co_await home;
  sums.reset();
  keys.release();
  co_return queries.finish(*next_sums.coming, *variant.key_gradients);
}

}  // namespace attestone::inline backends
