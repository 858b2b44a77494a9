// SPDX-License-Identifier: Apache-2.0
// A right ring in both directions: keys go left and right at once; what they gather goes straight home.
#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cpu/attend/merge.hpp"
#include "backends/distributed/messages/collectives.hpp"
#include "backends/distributed/messages/elements.hpp"
#include "tests/conformance/meshes/right_programs/parts.hpp"
#include "tests/conformance/meshes/right_programs/right_program.hpp"
#include "tests/conformance/meshes/right_programs/right_programs.hpp"

namespace attestone {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

/// out and log_sum_exp so far, in f64, as form B has them.
struct DoubleAnswer {
  Buffer out, log_sum_exp;

  DoubleAnswer(Rank& rank, index rows, Interval heads)
      : out(rank.device, "sum of out", dtype("f64"), rows, heads.count(), rank.attention.whole().shape.value_dim),
        log_sum_exp(rank.device, "sum of log_sum_exp", dtype("f64"), rows, heads.count(), 1) {
    out.clear();
    const auto& sinks = rank.attention.inputs().sink;
    const View all = log_sum_exp.all();
    for_each_element(all, [&](index, index head, index row, index) {
      all.set(0, head, row, 0, sinks ? sinks->value(0, heads.first + head, 0, 0) : nothing);
    });
  }
  void merge(const Part& part, const HeldRows& rows) {
    for_each_row(part.blocks, rows, [&](index from, index to) {
      for (index head = 0; head < out.heads(); ++head) merge_row(part, head, from, to);
    });
  }

 private:
  void merge_row(const Part& part, index head, index from, index to) {
    const View sums = out.all(), logs = log_sum_exp.all();
    const double own = part.log_sum_exp.all().value(0, head, from, 0), before = logs.value(0, head, to, 0);
    if (own == nothing) return;
    const double share = 1 / (1 + std::exp(before - own));
    for (index c = 0; c < out.channels(); ++c) {
      const double sum = sums.value(0, head, to, c);
      sums.set(0, head, to, c, sum - share * (sum - part.out.all().value(0, head, from, c)));
    }
    logs.set(0, head, to, 0, log_of_both(before, own));
  }
};

/// How far keys go up, and how far down: together they reach all other places once.
constexpr index farthest_up(index places) { return places / 2; }
constexpr index farthest_down(index places) { return (places - 1) / 2; }

/// The keys of two places at once: from so many places below, and from so many above.
class TwoStreams {
 public:
  TwoStreams(Rank& rank, HeldHeads heads, KeyPair own) : rank_(rank), heads_(heads), own_(std::move(own)) {}

  /// The next hops, at this distance from home: what comes is room until they are awaited.
  std::vector<Request> begin_hops(index distance) {
    std::vector<Request> all;
    const KeyPair &below = below_ ? *below_ : *own_, &above = above_ ? *above_ : *own_;
    if (distance < farthest_up(rank_.ring.size())) hop(1, distance, below, next_below_, all);
    if (distance < farthest_down(rank_.ring.size())) hop(-1, distance, above, next_above_, all);
    return all;
  }
  /// Replaces the keys by those that came; the hops must have been awaited.
  void end_hops() {
    own_.reset();
    below_ = std::exchange(next_below_, std::nullopt);
    above_ = std::exchange(next_above_, std::nullopt);
  }
  /// Calls visit(steps, keys) for the keys that are here.
  template <class Visit>
  void each(index distance, Visit visit) const {
    if (own_) visit(0, *own_);
    if (below_) visit(-distance, *below_);
    if (above_) visit(distance, *above_);
  }
  const KeyPair* at(index steps) const {
    const std::optional<KeyPair>& one = steps == 0 ? own_ : steps < 0 ? below_ : above_;
    return one ? &*one : nullptr;
  }

 private:
  void hop(index step, index distance, const KeyPair& going, std::optional<KeyPair>& room, std::vector<Request>& all) {
    const index rows = rank_.keys.of_ring(rank_.ring.beside(-step * (distance + 1))).count();
    room.emplace(rank_, "KV", going.key.dtype(), rows, heads_);
    for (Request& request : permute(rank_.communicator, rank_.ring, step, going.read(), room->written()))
      all.push_back(std::move(request));
  }

  Rank& rank_;
  HeldHeads heads_;
  std::optional<KeyPair> own_, below_, above_, next_below_, next_above_;
};

/// The costs of TwoStreams on paper.
class PaperStreams {
 public:
  PaperStreams(Paper& paper, const Sizes& size, Paper::Ticket own) : paper_(paper), size_(size), here_{own} {}

  void begin_hops(index distance) {
    if (distance < farthest_up(size_.places())) hop(-1, distance);
    if (distance < farthest_down(size_.places())) hop(1, distance);
  }
  void end_hops() {
    for (const auto done : std::exchange(here_, std::exchange(coming_, {}))) paper_.drop(done);
  }
  /// Steps from the own place to the places whose keys are here.
  std::vector<index> here(index distance) const {
    if (distance == 0) return {0};
    if (distance > farthest_down(size_.places())) return {-distance};
    return {-distance, distance};
  }

 private:
  void hop(index from, index distance) {
    paper_.send(2, size_.keys(size_.own() + from * distance, size_.in()));
    coming_.push_back(paper_.take({{"KV", size_.keys(size_.own() + from * (distance + 1), size_.in())}}));
  }

  Paper& paper_;
  const Sizes& size_;
  std::vector<Paper::Ticket> here_, coming_;
};

class BothWays final : public RightProgram {
 public:
  BothWays() : RightProgram("ring_in_both_directions", {"ring", "batch"}) {}

  Dealing dealing() const override { return Dealing::zigzag; }
  Numerics numerics(const Problem& problem, const Mesh& mesh, Numerics local) const override {
    local = merged_by_sigmoid(dtype("f64"), problem, mesh, std::move(local));
    if (mesh.devices("ring") > 1) local.merge.visits = Visits::any;
    return local;
  }

  Task<RankAnswer> forward(Rank& rank, RankInputs held) const override;
  Task<RankGradients> backward(Rank& rank, RankSaved saved) const override;

  RankCosts forward_costs(const CostedRank& rank) const override {
    const Sizes size(rank);
    if (rank.ring == 1) return alone_forward_costs(size);
    const index own = size.own();
    Paper paper;
    const PaperInputs held = begin_forward(paper, size);
    const auto sums = paper.take({{"sum of out", size.answer(own, 8)}});
    paper.take({{"sum of log_sum_exp", size.statistic(own, 8)}});
    PaperStreams streams(paper, size, held.keys);
    for (index distance = 0; distance <= farthest_up(rank.ring); ++distance) {
      streams.begin_hops(distance);
      for (const index steps : streams.here(distance)) take_in(paper, size, own + steps);
      streams.end_hops();
    }
    paper.drop(held.query);
    paper.take({{"out", size.answer(own, size.out())}});
    paper.drop(sums);
    paper.take({{"log_sum_exp", size.log_sum_exp(own)}});
    return paper.costs();
  }
  RankCosts backward_costs(const CostedRank& rank) const override {
    const Sizes size(rank);
    if (rank.ring == 1) return alone_backward_costs(size, rank.keeps_out, size.out());
    const index own = size.own();
    Paper paper;
    const PaperSaved saved = begin_backward(paper, size);
    const PaperStaying staying(paper, size, rank.keeps_out, saved);
    Paper::Ticket sums = 0;
    PaperStreams streams(paper, size, saved.keys);
    for (index distance = 0; distance <= farthest_up(rank.ring); ++distance) {
      streams.begin_hops(distance);
      for (const index steps : streams.here(distance)) {
        const auto more = share(paper, size, own + steps);
        if (steps == 0) {
          sums = more;
          continue;
        }
        paper.send(2, size.keys(own + steps, 4));
        const auto coming = paper.take({{"coming share", size.keys(own, 4)}});
        for (const auto done : {more, coming}) paper.drop(done);
      }
      streams.end_hops();
    }
    staying.end(paper);
    store(paper, size, staying.dquery, sums);
    return paper.costs();
  }
};

Task<RankAnswer> BothWays::forward(Rank& rank, RankInputs held) const {
  const HeldHeads heads = rank.held_heads();
  const Problem& whole = rank.attention.whole();
  const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
  const LocalQueries queries{rows, heads, held.query};
  if (rank.ring.size() == 1) co_return local_forward(rank, held, queries);

  DoubleAnswer sums(rank, rows.count(), heads.query);
  TwoStreams streams(rank, heads, KeyPair(std::move(held.key), std::move(held.value)));
  for (index distance = 0; distance <= farthest_up(rank.ring.size()); ++distance) {
    Task<> hopped = all_of(streams.begin_hops(distance));
    streams.each(distance, [&](index steps, const KeyPair& keys) {
      const Part part(rank, queries, rank.keys.of_ring(rank.ring.beside(steps)), keys);
      sums.merge(part, rows);
    });
    co_await hopped;
    streams.end_hops();
  }
  held.query.release();
  Buffer out(rank.device, "out", whole.output, rows.count(), heads.query.count(), whole.shape.value_dim);
  round_into(sums.out.all(), out.all());
  sums.out.release();
  Buffer log_sum_exp(rank.device, "log_sum_exp", whole.log_sum_exp_dtype(), rows.count(), heads.query.count(), 1);
  round_into(sums.log_sum_exp.all(), log_sum_exp.all());
  RankAnswer answer{std::move(out), std::move(log_sum_exp)};
  co_return answer;
}

Task<RankGradients> BothWays::backward(Rank& rank, RankSaved saved) const {
  const HeldHeads heads = rank.held_heads();
  const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
  const LocalQueries queries{rows, heads, saved.query};
  if (rank.ring.size() == 1) co_return local_backward(rank, saved, queries, rank.attention.whole().output);

  StayingQueries staying(rank, queries, saved);
  const index own_rows = rank.keys.of_ring(rank.ring.place).count();
  std::optional<KeyPair> sums;
  TwoStreams streams(rank, heads, KeyPair(std::move(saved.key), std::move(saved.value)));
  for (index distance = 0; distance <= farthest_up(rank.ring.size()); ++distance) {
    Task<> hopped = all_of(streams.begin_hops(distance));
    std::vector<index> here;
    streams.each(distance, [&](index steps, const KeyPair&) { here.push_back(steps); });
    for (const index steps : here) {
      const HeldRows& keys = rank.keys.of_ring(rank.ring.beside(steps));
      KeyPair share = staying.share(keys, *streams.at(steps));
      if (steps == 0) {
        sums.emplace(std::move(share.key), std::move(share.value));
        continue;
      }
      const KeyPair coming(rank, "coming share", dtype("f32"), own_rows, heads);
      Task<> sent = all_of(permute(rank.communicator, rank.ring, steps, share.read(), coming.written()));
      co_await sent;
      sums->add(coming);
    }
    co_await hopped;
    streams.end_hops();
  }
  Buffer dquery = staying.end();
  co_return stored(rank, std::move(dquery), std::move(sums->key), std::move(sums->value));
}

}  // namespace

SharedProgram ring_in_both_directions() { return std::make_shared<BothWays>(); }

}  // namespace attestone
