// SPDX-License-Identifier: Apache-2.0
// Queries on their way round, and answers on their way home.
#include "backends/distributed/methods/token_ring.hpp"

#include "backends/distributed/rank/buffers.hpp"
#include "backends/distributed/rank/local_steps.hpp"
#include "backends/distributed/rank/running_answer.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

const Registration<RankProgramEntry> registered{{
    .name = "token_ring",
    .summary = "keys and values stay, queries go round, and what keys answer returns to the owner",
    .settings = RingMethod::answer_settings(),
    .examples = RingMethod::answer_examples(),
    .meshes = {"ring:1", "ring:2", "ring:5", "ring:3+batch:2"},
    .make = [](const Settings& settings) -> std::shared_ptr<const RankProgram> {
      return std::make_shared<TokenRing>("token_ring", std::vector<std::string_view>{"ring", "batch"}, settings);
    },
}};

}  // namespace

/// At step i the queries of the place i places ahead are here, and what these keys answered to those before them is on
/// its way to their owner.
Task<RankAnswer> TokenRing::forward(Rank& rank, RankInputs held) const {
  const index N = rank.ring.size();
  const HeldHeads heads = rank.held_heads();
  const LocalQueries own{rank.queries.of_ring(rank.ring.place), heads, held.query};
  if (N == 1) co_return local_forward(rank, held, own);

  const RingVariant variant = this->variant(rank);
  const auto answer = running_answer(variant.merge, rank, own, *variant.part);
  const auto own_rows = every_row(own.rows);
  const HeldRows& keys = rank.keys.of_ring(rank.ring.place);
  Buffers visitors;
  visitors.push_back(std::move(held.query));
  Buffers before;
  for (index step = 0; step <= N; ++step) {
    const index coming = rank.queries.of_ring(rank.ring.beside(step + 1)).count();
    Buffers next;
    std::vector<Request> travel, way_home;
    if (step < N - 1) {
      next.push_back(room_like(rank, "visiting query", visitors.front(), coming));
      travel = pass(rank, rank.ring, -1, visitors, next);
    }
    Buffers returned, part;
    if (step > 1) {
      returned = answer->room(own.rows.count());
      way_home = pass(rank, rank.ring, step - 1, before, returned);
    }
    if (step < N) {
      const LocalQueries queries{rank.queries.of_ring(rank.ring.beside(step)), heads, visitors.front()};
      const auto blocks = rank.attention.blocks_of_all(queries, keys, false);
      part = answer->part(blocks, queries, {keys, held.key, held.value});
      Task<> travelled = all_of(std::move(travel));
      co_await travelled;
      visitors = std::move(next);
    }
    if (step == N - 1)
      for (Buffer* done : {&held.key, &held.value}) done->release();
    if (step == 0) answer->merge(own_rows, own, std::exchange(part, {}));
    Task<> home = all_of(std::move(way_home));
    co_await home;
    if (step > 1) answer->merge(own_rows, own, returned);
    before = std::move(part);
  }
  co_return answer->finish();
}

}  // namespace attestone::inline backends
