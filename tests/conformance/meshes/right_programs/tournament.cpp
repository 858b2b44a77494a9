// SPDX-License-Identifier: Apache-2.0
// A right method: in every round of a tournament each place meets one other, and both tell each other their keys.
#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "backends/distributed/messages/collectives.hpp"
#include "tests/conformance/meshes/right_programs/parts.hpp"
#include "tests/conformance/meshes/right_programs/right_program.hpp"
#include "tests/conformance/meshes/right_programs/right_programs.hpp"

namespace attestone {
namespace {

/// The number of rounds. If the number of places is odd, one place rests in every round.
index rounds_of(index places) { return places % 2 == 0 ? places - 1 : places; }

/// The opponent of a place: their numbers add up to the round's, modulo the number of rounds. A place that would meet
/// itself meets the last one, or rests.
std::optional<index> opponent(index places, index place, index round) {
  const index n = rounds_of(places);
  if (place == n) {
    for (index other = 0; other < n; ++other)
      if ((2 * other) % n == round) return other;
  }
  const index other = ((round - place) % n + n) % n;
  if (other != place) return other;
  return n < places ? std::optional<index>(n) : std::nullopt;
}

/// The group of two members: pairs of other members are other groups, whatever they are called.
Group pair_of(const Group& all, index other, bool own_names) {
  const index first = all.rank_at(std::min(all.place, other)), second = all.rank_at(std::max(all.place, other));
  Group pair{own_names ? fmt::format("pair {}+{}", first, second) : "pair", {first, second}, 0};
  pair.place = all.place < other ? 0 : 1;
  return pair;
}

class Tournament : public RightProgram {
 public:
  Tournament() : Tournament("tournament", true) {}
  Tournament(std::string_view name, bool own_names) : RightProgram(name, {"ring", "batch"}), own_names_(own_names) {}

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
    take_in(paper, size, own);
    for (index place = 0; place < rank.ring; ++place) {
      if (place == own) continue;
      paper.send(2, size.keys(own, in));
      const auto guest = paper.take({{"KV of the opponent", size.keys(place, in)}});
      take_in(paper, size, place);
      paper.drop(guest);
    }
    for (const auto done : {held.query, held.keys}) paper.drop(done);
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
    const auto sums = share(paper, size, own);
    for (index place = 0; place < rank.ring; ++place) {
      if (place == own) continue;
      paper.send(4, size.keys(own, in) + size.keys(place, 4));
      const auto guest = paper.take({{"KV of the opponent", size.keys(place, in)}});
      const auto of_guest = share(paper, size, place);
      paper.drop(guest);
      const auto back = paper.take({{"share of the opponent", size.keys(own, 4)}});
      for (const auto done : {of_guest, back}) paper.drop(done);
    }
    paper.drop(saved.keys);
    staying.end(paper);
    store(paper, size, staying.dquery, sums);
    return paper.costs();
  }

 private:
  bool own_names_;
};

/// A tournament whose pairs all have the same name.
class PairsOfOneName final : public Tournament {
 public:
  PairsOfOneName() : Tournament("tournament_of_one_name", false) {}
};

Task<RankAnswer> Tournament::forward(Rank& rank, RankInputs held) const {
  const HeldHeads heads = rank.held_heads();
  const index own = rank.ring.place, places = rank.ring.size();
  const HeldRows& rows = rank.queries.of_ring(own);
  const LocalQueries queries{rows, heads, held.query};
  if (places == 1) co_return local_forward(rank, held, queries);

  const auto answer = running_answer(MergeForm::sigmoid, rank, queries, dtype("f32"));
  KeyPair mine(std::move(held.key), std::move(held.value));
  const auto take_in = [&](index place, const KeyPair& keys) {
    attestone::take_in(rank, *answer, queries, rank.keys.of_ring(place), keys);
  };
  take_in(own, mine);
  for (index round = 0; round < rounds_of(places); ++round) {
    const std::optional<index> other = opponent(places, own, round);
    if (!other) continue;
    const KeyPair guest(rank, "KV of the opponent", mine.key.dtype(), rank.keys.of_ring(*other).count(), heads);
    const Group pair = pair_of(rank.ring, *other, own_names_);
    Task<> met = all_of(permute(rank.communicator, pair, 1, mine.read(), guest.written()));
    co_await met;
    take_in(*other, guest);
  }
  mine.release();
  held.query.release();
  co_return answer->finish();
}

Task<RankGradients> Tournament::backward(Rank& rank, RankSaved saved) const {
  const HeldHeads heads = rank.held_heads();
  const index own = rank.ring.place, places = rank.ring.size();
  const HeldRows& rows = rank.queries.of_ring(own);
  const LocalQueries queries{rows, heads, saved.query};
  if (places == 1) co_return local_backward(rank, saved, queries, rank.attention.whole().output);

  StayingQueries staying(rank, queries, saved);
  KeyPair mine(std::move(saved.key), std::move(saved.value));
  KeyPair sums = staying.share(rank.keys.of_ring(own), mine);
  for (index round = 0; round < rounds_of(places); ++round) {
    const std::optional<index> other = opponent(places, own, round);
    if (!other) continue;
    const HeldRows& keys = rank.keys.of_ring(*other);
    KeyPair guest(rank, "KV of the opponent", mine.key.dtype(), keys.count(), heads);
    const Group pair = pair_of(rank.ring, *other, own_names_);
    Task<> met = all_of(permute(rank.communicator, pair, 1, mine.read(), guest.written()));
    co_await met;
    const KeyPair share = staying.share(keys, guest);
    guest.release();
    const KeyPair back(rank, "share of the opponent", dtype("f32"), sums.key.rows(), heads);
    Task<> exchanged = all_of(permute(rank.communicator, pair, 1, share.read(), back.written()));
    co_await exchanged;
    sums.add(back);
  }
  mine.release();
  Buffer dquery = staying.end();
  co_return stored(rank, std::move(dquery), std::move(sums.key), std::move(sums.value));
}

}  // namespace

SharedProgram tournament() { return std::make_shared<Tournament>(); }
SharedProgram tournament_of_one_name() { return std::make_shared<PairsOfOneName>(); }

}  // namespace attestone
