// SPDX-License-Identifier: Apache-2.0
// A right ring in which K and V travel in two tasks that run beside each other, each in a group of its own name.
#include <algorithm>
#include <array>

#include "backends/distributed/messages/collectives.hpp"
#include "tests/conformance/meshes/right_programs/parts.hpp"
#include "tests/conformance/meshes/right_programs/right_program.hpp"
#include "tests/conformance/meshes/right_programs/right_programs.hpp"

namespace attestone {
namespace {

/// One tensor goes to the next place, another comes. Which of both tasks of a rank is further nobody knows.
Task<> carry(Rank& rank, const char* name, const Buffer* going, const Buffer* coming) {
  Group group = rank.ring;
  group.name = name;
  const std::vector<ConstView> out(1, going->all());
  const std::vector<View> in(1, coming->all());
  const Signature signature = rank.communicator.begin(group, "carry", CallSite::current());
  Request received = rank.communicator.receive(group, group.beside(-1), signature, in);
  Request sent = rank.communicator.send(group, group.beside(1), signature, out);
  co_await received;
  co_await sent;
}

/// Two of them, under way from the scheduler's next turn on.
class Carried {
 public:
  Carried(Rank& rank, const KeyPair& going, const KeyPair& coming)
      : tasks_{carry(rank, "keys", &going.key, &coming.key), carry(rank, "values", &going.value, &coming.value)} {
    for (Task<>& task : tasks_) task.start(rank.communicator.transport());
  }
  Task<> arrived() {
    for (Task<>& task : tasks_) co_await task;
  }

 private:
  std::array<Task<>, 2> tasks_;
};

class TwoTasks final : public RightProgram {
 public:
  TwoTasks() : RightProgram("two_tasks_on_each_rank", {"ring", "batch"}) {}

  Numerics numerics(const Problem& problem, const Mesh& mesh, Numerics local) const override {
    return merged_by_sigmoid(dtype("f32"), problem, mesh, std::move(local));
  }

  Task<RankAnswer> forward(Rank& rank, RankInputs held) const override;
  Task<RankGradients> backward(Rank& rank, RankSaved saved) const override;

  RankCosts forward_costs(const CostedRank& rank) const override {
    const Sizes size(rank);
    if (rank.ring == 1) return alone_forward_costs(size);
    const index own = size.own(), in = size.in();
    Paper paper;
    const PaperInputs held = begin_forward(paper, size);
    const PaperAnswer answer = begin_answer(paper, size);
    Paper::Ticket current = held.keys;
    for (index step = 0; step < rank.ring; ++step) {
      const bool hops = step < rank.ring - 1;
      if (hops) paper.send(2, size.keys(own - step, in));
      const auto next = paper.take({{"KV", hops ? size.keys(own - step - 1, in) : 0}});
      take_in(paper, size, own - step);
      paper.drop(std::exchange(current, next));
    }
    paper.drop(held.query);
    finish(paper, size, answer);
    return paper.costs();
  }
  RankCosts backward_costs(const CostedRank& rank) const override {
    const Sizes size(rank);
    if (rank.ring == 1) return alone_backward_costs(size, rank.keeps_out, size.out());
    const index own = size.own(), in = size.in();
    Paper paper;
    const PaperSaved saved = begin_backward(paper, size);
    const PaperStaying staying(paper, size, rank.keeps_out, saved);
    Paper::Ticket current = saved.keys, sums = 0;
    for (index step = 0; step < rank.ring; ++step) {
      const bool hops = step < rank.ring - 1;
      paper.send(hops ? 4 : 2, size.keys(own - step, 4) + (hops ? size.keys(own - step, in) : 0));
      const auto next = paper.take({{"KV", hops ? size.keys(own - step - 1, in) : 0}});
      const auto more = share(paper, size, own - step);
      if (step == 0)
        sums = more;
      else
        paper.drop(more);
      paper.drop(std::exchange(current, next));
      const auto coming = paper.take({{"sums of dKV", size.keys(own - step - 1, 4)}});
      paper.drop(std::exchange(sums, coming));
    }
    staying.end(paper);
    store(paper, size, staying.dquery, sums);
    return paper.costs();
  }
};

Task<RankAnswer> TwoTasks::forward(Rank& rank, RankInputs held) const {
  const HeldHeads heads = rank.held_heads();
  const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
  const LocalQueries queries{rows, heads, held.query};
  if (rank.ring.size() == 1) co_return local_forward(rank, held, queries);

  const auto answer = running_answer(MergeForm::sigmoid, rank, queries, dtype("f32"));
  KeyPair current(std::move(held.key), std::move(held.value));
  for (index step = 0; step < rank.ring.size(); ++step) {
    std::optional<KeyPair> next;
    std::optional<Carried> carried;
    if (step < rank.ring.size() - 1) {
      const index coming = rank.keys.of_ring(rank.ring.beside(-step - 1)).count();
      next.emplace(rank, "KV", current.key.dtype(), coming, heads);
      carried.emplace(rank, current, *next);
    }
    take_in(rank, *answer, queries, rank.keys.of_ring(rank.ring.beside(-step)), current);
    if (!carried) break;
    Task<> arrived = carried->arrived();
    co_await arrived;
    current = std::move(*next);
  }
  current.release();
  held.query.release();
  co_return answer->finish();
}

Task<RankGradients> TwoTasks::backward(Rank& rank, RankSaved saved) const {
  const HeldHeads heads = rank.held_heads();
  const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
  const LocalQueries queries{rows, heads, saved.query};
  if (rank.ring.size() == 1) co_return local_backward(rank, saved, queries, rank.attention.whole().output);

  StayingQueries staying(rank, queries, saved);
  std::optional<KeyPair> current(std::in_place, std::move(saved.key), std::move(saved.value)), sums;
  for (index step = 0; step < rank.ring.size(); ++step) {
    const HeldRows& keys = rank.keys.of_ring(rank.ring.beside(-step));
    const index coming = rank.keys.of_ring(rank.ring.beside(-step - 1)).count();
    std::optional<KeyPair> next;
    std::optional<Carried> carried;
    if (step < rank.ring.size() - 1) {
      next.emplace(rank, "KV", current->key.dtype(), coming, heads);
      carried.emplace(rank, *current, *next);
    }
    KeyPair share = staying.share(keys, *current);
    if (sums)
      sums->add(share);
    else
      sums.emplace(std::move(share.key), std::move(share.value));
    share.release();
    if (carried) {
      Task<> arrived = carried->arrived();
      co_await arrived;
    }
    current = std::move(next);
    KeyPair next_sums(rank, "sums of dKV", dtype("f32"), coming, heads);
    Carried sent(rank, *sums, next_sums);
    Task<> arrived = sent.arrived();
    co_await arrived;
    *sums = std::move(next_sums);
  }
  Buffer dquery = staying.end();
  co_return stored(rank, std::move(dquery), std::move(sums->key), std::move(sums->value));
}

}  // namespace

SharedProgram two_tasks_on_each_rank() { return std::make_shared<TwoTasks>(); }

}  // namespace attestone
