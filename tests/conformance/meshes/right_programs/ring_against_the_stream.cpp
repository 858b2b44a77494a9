// SPDX-License-Identifier: Apache-2.0
// A right ring: against the direction of others, blocks first and messages afterwards, one message at a time.
#include "tests/conformance/meshes/right_programs/ring_against_the_stream.hpp"

#include <algorithm>

#include "backends/distributed/messages/collectives.hpp"

namespace attestone {
namespace {

/// Moving buffers: K and V until they are no longer needed, and the sums of their gradients.
struct Moving {
  std::optional<KeyPair> keys, sums;

  void release() { keys.reset(), sums.reset(); }
  std::vector<const Buffer*> buffers() const {
    std::vector<const Buffer*> all;
    if (keys) all.insert(all.end(), {&keys->key, &keys->value});
    if (sums) all.insert(all.end(), {&sums->key, &sums->value});
    return all;
  }
};

/// Room for the buffers that come from the next place.
Moving room_for_next(Rank& rank, HeldHeads heads, const Moving& like, index rows) {
  Moving next;
  if (like.keys) next.keys.emplace(rank, "KV", like.keys->key.dtype(), rows, heads);
  if (like.sums) next.sums.emplace(rank, "sums of dKV", dtype("f32"), rows, heads);
  return next;
}

Task<> send_all(Rank& rank, Signature signature, std::vector<const Buffer*> buffers) {
  const index to = rank.ring.beside(-1);
  for (const Buffer* buffer : buffers) {
    const std::vector<ConstView> views(1, buffer->all());
    Request sent = rank.communicator.send(rank.ring, to, signature, views);
    co_await sent;
  }
}

Task<> receive_all(Rank& rank, Signature signature, std::vector<const Buffer*> buffers) {
  const index from = rank.ring.beside(1);
  for (const Buffer* buffer : buffers) {
    const std::vector<View> views(1, buffer->all());
    Request received = rank.communicator.receive(rank.ring, from, signature, views);
    co_await received;
  }
}

/// Buffers from the next place replace those that went to the place before.
Task<> move_on(Rank& rank, HeldHeads heads, Moving& held, index coming_rows) {
  const Signature signature = rank.communicator.begin(rank.ring, "against", CallSite::current());
  Moving next;
  const bool sends_first = rank.ring.place % 2 == 0;
  if (sends_first) {
    Task<> sent = send_all(rank, signature, held.buffers());
    co_await sent;
    const Moving kinds = room_for_next(rank, heads, held, 0);  // takes nothing
    held.release();
    next = room_for_next(rank, heads, kinds, coming_rows);
  } else {
    next = room_for_next(rank, heads, held, coming_rows);
  }
  Task<> received = receive_all(rank, signature, next.buffers());
  co_await received;
  if (!sends_first) {
    Task<> sent = send_all(rank, signature, held.buffers());
    co_await sent;
  }
  held = std::move(next);
}

class Against final : public RightProgram {
 public:
  Against() : RightProgram("ring_against_the_stream", {"ring", "batch"}) {}

  Numerics numerics(const Problem& problem, const Mesh& mesh, Numerics local) const override {
    return merged_by_sigmoid(dtype("f32"), problem, mesh, std::move(local));
  }

  Task<RankAnswer> forward(Rank& rank, RankInputs held) const override {
    if (rank.ring.size() == 1) {
      const LocalQueries queries{rank.queries.of_ring(0), rank.held_heads(), held.query};
      co_return local_forward(rank, held, queries);
    }
    Task<RankAnswer> ring = against_forward(rank, rank.held_heads(), std::move(held));
    co_return co_await ring;
  }
  Task<RankGradients> backward(Rank& rank, RankSaved saved) const override {
    if (rank.ring.size() == 1) {
      const LocalQueries queries{rank.queries.of_ring(0), rank.held_heads(), saved.query};
      co_return local_backward(rank, saved, queries, rank.attention.whole().output);
    }
    Task<RankGradients> ring = against_backward(rank, rank.held_heads(), std::move(saved));
    co_return co_await ring;
  }

  RankCosts forward_costs(const CostedRank& rank) const override {
    const Sizes size(rank);
    if (rank.ring == 1) return alone_forward_costs(size);
    Paper paper;
    against_forward(paper, size, begin_forward(paper, size));
    return paper.costs();
  }
  RankCosts backward_costs(const CostedRank& rank) const override {
    const Sizes size(rank);
    if (rank.ring == 1) return alone_backward_costs(size, rank.keeps_out, size.out());
    Paper paper;
    against_backward(paper, size, rank.keeps_out, begin_backward(paper, size));
    return paper.costs();
  }
};

}  // namespace

SharedProgram ring_against_the_stream() { return std::make_shared<Against>(); }

Task<RankAnswer> against_forward(Rank& rank, HeldHeads heads, RankInputs held) {
  const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
  const LocalQueries queries{rows, heads, held.query};
  const auto answer = running_answer(MergeForm::sigmoid, rank, queries, dtype("f32"));
  Moving moving;
  moving.keys.emplace(std::move(held.key), std::move(held.value));
  for (index step = 0; step < rank.ring.size(); ++step) {
    { take_in(rank, *answer, queries, rank.keys.of_ring(rank.ring.beside(step)), *moving.keys); }
    if (step == rank.ring.size() - 1) break;
    const index coming = rank.keys.of_ring(rank.ring.beside(step + 1)).count();
    Task<> moved = move_on(rank, heads, moving, coming);
    co_await moved;
  }
  moving.release();
  held.query.release();
  co_return answer->finish();
}

Task<RankGradients> against_backward(Rank& rank, HeldHeads heads, RankSaved saved) {
  const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
  const LocalQueries queries{rows, heads, saved.query};
  StayingQueries staying(rank, queries, saved);
  Moving moving;
  moving.keys.emplace(std::move(saved.key), std::move(saved.value));
  for (index step = 0; step < rank.ring.size(); ++step) {
    const HeldRows& keys = rank.keys.of_ring(rank.ring.beside(step));
    KeyPair share = staying.share(keys, *moving.keys);
    if (moving.sums)
      moving.sums->add(share);
    else
      moving.sums.emplace(std::move(share.key), std::move(share.value));
    share.release();
    if (step == rank.ring.size() - 1) moving.keys.reset();
    const index coming = rank.keys.of_ring(rank.ring.beside(step + 1)).count();
    Task<> moved = move_on(rank, heads, moving, coming);
    co_await moved;
  }
  Buffer dquery = staying.end();
  co_return stored(rank, std::move(dquery), std::move(moving.sums->key), std::move(moving.sums->value));
}

PaperAnswer against_forward(Paper& paper, const Sizes& size, PaperInputs held) {
  const index own = size.own(), in = size.in();
  const PaperAnswer answer = begin_answer(paper, size);
  Paper::Ticket current = held.keys;
  for (index step = 0; step < size.places(); ++step) {
    take_in(paper, size, own + step);
    if (step == size.places() - 1) break;
    paper.send(2, size.keys(own + step, in));
    if (own % 2 == 0) paper.drop(current);
    const auto next = paper.take({{"KV", size.keys(own + step + 1, in)}});
    paper.drop(std::exchange(current, next));
  }
  paper.drop(current);
  paper.drop(held.query);
  return finish(paper, size, answer);
}

PaperGradients against_backward(Paper& paper, const Sizes& size, bool keeps_out, PaperSaved saved) {
  const index own = size.own(), in = size.in();
  const PaperStaying staying(paper, size, keeps_out, saved);
  Paper::Ticket keys = saved.keys, sums = 0;
  for (index step = 0; step < size.places(); ++step) {
    const bool last = step == size.places() - 1;
    const auto more = share(paper, size, own + step);
    if (step == 0)
      sums = more;
    else
      paper.drop(more);
    if (last) paper.drop(keys);
    paper.send(last ? 2 : 4, size.keys(own + step, 4) + (last ? 0 : size.keys(own + step, in)));
    const auto sent = {keys, sums};
    if (own % 2 == 0)
      for (const auto one : sent) paper.drop(one);
    keys = paper.take({{"KV", last ? 0 : size.keys(own + step + 1, in)}});
    sums = paper.take({{"sums of dKV", size.keys(own + step + 1, 4)}});
    for (const auto one : sent) paper.drop(one);
  }
  staying.end(paper);
  return store(paper, size, staying.dquery, sums);
}

}  // namespace attestone
