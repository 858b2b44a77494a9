// SPDX-License-Identifier: Apache-2.0
// A right product of Ulysses and a ring: one kv head of each member at a time is exchanged, goes round, and comes back.
#include <algorithm>

#include "backends/distributed/messages/collectives.hpp"
#include "backends/distributed/messages/elements.hpp"
#include "tests/conformance/meshes/right_programs/ring_against_the_stream.hpp"

namespace attestone {
namespace {

/// How many kv heads, one after another, each member of a Ulysses group has; and the heads of one of these rounds.
index rounds(const Shape& shape, index members) { return shape.kv_heads / members; }
HeldHeads heads_of(const Shape& shape, index members, index member, index round) {
  const index kv = member * rounds(shape, members) + round, readers = shape.heads / shape.kv_heads;
  return {{kv * readers, (kv + 1) * readers - 1}, {kv, kv}};
}

/// One round of exchanges.
class Round {
 public:
  Round(Rank& rank, index round) : rank_(rank), round_(round) {}

  HeldHeads heads() const { return of(rank_.ulysses.place); }
  /// All rows of a head, or of the queries' heads that read it, in fresh room; under way.
  Buffer to_heads(const char* name, const Buffer& own, bool keys) {
    const Interval heads = of_kind(rank_.ulysses.place, keys);
    Buffer all(rank_.device, name, own.dtype(), shards(keys).of_ring(rank_.ring.place).count(), heads.count(),
               own.channels());
    std::vector<std::vector<ConstView>> out;
    std::vector<std::vector<View>> in;
    for (index member = 0; member < rank_.ulysses.size(); ++member) {
      const std::vector<View> going = own_rows(own, of_kind(member, keys), keys);
      out.emplace_back(going.begin(), going.end());
      in.push_back(rows_of(all, member, keys));
    }
    start(out, in);
    return all;
  }
  /// And back, into the tensor of all heads.
  void to_rows(const Buffer& all, const Buffer& own, bool keys) {
    std::vector<std::vector<ConstView>> out;
    std::vector<std::vector<View>> in;
    for (index member = 0; member < rank_.ulysses.size(); ++member) {
      const std::vector<View> going = rows_of(all, member, keys);
      out.emplace_back(going.begin(), going.end());
      in.push_back(own_rows(own, of_kind(member, keys), keys));
    }
    start(out, in);
  }
  Task<> finished() { return all_of(std::exchange(under_way_, {})); }

  /// The round's heads among all that the rank has after its exchanges.
  View among(const Buffer& all, index heads) const { return all.part(round_ * heads, heads, 0, all.rows()); }
  Buffer copy_of(const char* name, const Buffer& all, index heads) const {
    Buffer some(rank_.device, name, all.dtype(), all.rows(), heads, all.channels());
    copy(among(all, heads), some.all());
    return some;
  }

 private:
  HeldHeads of(index member) const {
    return heads_of(rank_.attention.whole().shape, rank_.ulysses.size(), member, round_);
  }
  Interval of_kind(index member, bool keys) const { return keys ? of(member).kv : of(member).query; }
  const Shards& shards(bool keys) const { return keys ? rank_.keys : rank_.queries; }

  std::vector<View> own_rows(const Buffer& own, Interval heads, bool keys) const {
    return attestone::rows_of(own, heads, shards(keys).of(rank_.ring.place, rank_.ulysses.place));
  }
  std::vector<View> rows_of(const Buffer& all, index member, bool keys) const {
    const auto held = [&](index one) -> const HeldRows& { return shards(keys).of(rank_.ring.place, one); };
    return rows_among(all, all_heads(all), shards(keys).of_ring(rank_.ring.place), member, held);
  }
  void start(const std::vector<std::vector<ConstView>>& out, const std::vector<std::vector<View>>& in) {
    for (Request& request : all_to_all(rank_.communicator, rank_.ulysses, out, in))
      under_way_.push_back(std::move(request));
  }

  Rank& rank_;
  index round_;
  std::vector<Request> under_way_;
};

Task<RankAnswer> attended(Rank& rank, HeldHeads heads, RankInputs held) {
  if (rank.ring.size() == 1) {
    const LocalQueries queries{rank.queries.of_ring(0), heads, held.query};
    co_return local_forward(rank, held, queries);
  }
  Task<RankAnswer> ring = against_forward(rank, heads, std::move(held));
  co_return co_await ring;
}

Task<RankGradients> gradients_of(Rank& rank, HeldHeads heads, RankSaved saved) {
  if (rank.ring.size() == 1) {
    const LocalQueries queries{rank.queries.of_ring(0), heads, saved.query};
    co_return local_backward(rank, saved, queries, rank.attention.whole().output);
  }
  Task<RankGradients> ring = against_backward(rank, heads, std::move(saved));
  co_return co_await ring;
}

class Chunks final : public RightProgram {
 public:
  Chunks() : RightProgram("heads_in_rounds", {"ulysses", "ring", "batch"}) {}

  Support supports(const Problem& problem, const Mesh& mesh) const override {
    if (problem.shape.kv_heads % mesh.devices("ulysses") != 0)
      return Support::refused("members have different numbers of kv heads");
    return {};
  }
  Numerics numerics(const Problem& problem, const Mesh& mesh, Numerics local) const override {
    return merged_by_sigmoid(dtype("f32"), problem, mesh, std::move(local));
  }

  Task<RankAnswer> forward(Rank& rank, RankInputs held) const override;
  Task<RankGradients> backward(Rank& rank, RankSaved saved) const override;

  RankCosts forward_costs(const CostedRank& rank) const override {
    const index members = rank.heads.members(), own = rank.ring_place;
    const Shape& shape = rank.problem.shape;
    const Sizes size(rank), some(rank, heads_of(shape, members, rank.ulysses_place, 0));
    Paper paper;
    if (members == 1) {
      attended_on(paper, size, begin_forward(paper, size));
      return paper.costs();
    }
    const Rows rows(rank);
    const index d = shape.dim, dv = shape.value_dim, in = size.in(), out = size.out();
    paper.take({{"query", rows.queries * d * in}, {"key", rows.keys * d * in}, {"value", rows.keys * dv * in}});
    paper.take({{"out", rows.queries * dv * out}, {"log_sum_exp", size.log_sum_exp(own)}});
    paper.send(0, (rows.queries_leave * d + rows.keys_leave * (d + dv)) * in + rows.queries_return * dv * out);
    for (index round = 0; round < rounds(shape, members); ++round) {
      paper.send(4 * (members - 1), 0);
      const auto query = paper.take({{"query of a round", some.query(own, in)}});
      const auto keys = paper.take({{"key of a round", some.key(own, in)}, {"value of a round", some.value(own, in)}});
      const PaperAnswer answer = attended_on(paper, some, {query, keys});
      for (const auto done : {answer.out, answer.log_sum_exp}) paper.drop(done);
    }
    return paper.costs();
  }
  RankCosts backward_costs(const CostedRank& rank) const override {
    const index members = rank.heads.members(), own = rank.ring_place;
    const Shape& shape = rank.problem.shape;
    const Sizes size(rank), some(rank, heads_of(shape, members, rank.ulysses_place, 0));
    Paper paper;
    if (members == 1) {
      gradients_on(paper, size, rank.keeps_out, begin_backward(paper, size));
      return paper.costs();
    }
    const Rows rows(rank);
    const index d = shape.dim, dv = shape.value_dim, in = size.in(), out = size.out();
    paper.take({{"query", size.query(own, in)}, {"key", size.key(own, in)}, {"value", size.value(own, in)}});
    paper.take({{"out", size.answer(own, out)}, {"log_sum_exp", size.log_sum_exp(own)}});
    paper.take({{"dout", rows.queries * dv * out}, {"dquery", rows.queries * d * out}});
    paper.take({{"dkey", rows.keys * d * out}, {"dvalue", rows.keys * dv * out}});
    paper.send(0, (rows.queries_leave * dv + rows.queries_return * d + rows.keys_return * (d + dv)) * out);
    for (index round = 0; round < rounds(shape, members); ++round) {
      paper.send(4 * (members - 1), 0);
      const index answer = some.answer(own, out);
      const auto queries = paper.take({{"query of a round", some.query(own, in)},
                                       {"log_sum_exp of a round", some.log_sum_exp(own)},
                                       {"dout of a round", answer}});
      const auto keys = paper.take({{"key of a round", some.key(own, in)}, {"value of a round", some.value(own, in)}});
      const auto saved_out = paper.take({{"out of a round", answer}});
      const PaperGradients own_gradients = gradients_on(paper, some, rank.keeps_out, {queries, saved_out, keys});
      for (const auto done : {own_gradients.dquery, own_gradients.dkey, own_gradients.dvalue}) paper.drop(done);
    }
    return paper.costs();
  }

 private:
  /// Rows times heads: of own rows of all heads, and those that go either way in all rounds.
  struct Rows {
    index queries, keys, queries_leave, keys_leave, queries_return, keys_return;

    explicit Rows(const CostedRank& rank) {
      const Shape& shape = rank.problem.shape;
      const index members = rank.heads.members(), heads = shape.heads / members, kv_heads = shape.kv_heads / members;
      const index q = rank.queries.of(rank.ring_place, rank.ulysses_place).count();
      const index k = rank.keys.of(rank.ring_place, rank.ulysses_place).count();
      queries = q * shape.heads, keys = k * shape.kv_heads;
      queries_leave = q * (shape.heads - heads), keys_leave = k * (shape.kv_heads - kv_heads);
      queries_return = (rank.queries.of_ring(rank.ring_place).count() - q) * heads;
      keys_return = (rank.keys.of_ring(rank.ring_place).count() - k) * kv_heads;
    }
  };
  static PaperAnswer attended_on(Paper& paper, const Sizes& size, PaperInputs held) {
    return size.places() == 1 ? local_forward(paper, size, held) : against_forward(paper, size, held);
  }
  static PaperGradients gradients_on(Paper& paper, const Sizes& size, bool keeps_out, PaperSaved saved) {
    if (size.places() == 1) return local_backward(paper, size, keeps_out, saved, size.out());
    return against_backward(paper, size, keeps_out, saved);
  }
};

Task<RankAnswer> Chunks::forward(Rank& rank, RankInputs held) const {
  const index members = rank.ulysses.size();
  if (members == 1) {
    Task<RankAnswer> all = attended(rank, rank.held_heads(), std::move(held));
    co_return co_await all;
  }
  const Problem& whole = rank.attention.whole();
  Buffer out(rank.device, "out", whole.output, held.query.rows(), whole.shape.heads, whole.shape.value_dim);
  Buffer log_sum_exp(rank.device, "log_sum_exp", whole.log_sum_exp_dtype(),
                     rank.queries.of_ring(rank.ring.place).count(), rank.held_heads().query.count(), 1);
  for (index number = 0; number < rounds(whole.shape, members); ++number) {
    Round round(rank, number);
    RankInputs some{round.to_heads("query of a round", held.query, false),
                    round.to_heads("key of a round", held.key, true),
                    round.to_heads("value of a round", held.value, true)};
    Task<> came = round.finished();
    co_await came;
    Task<RankAnswer> attending = attended(rank, round.heads(), std::move(some));
    const RankAnswer answer = co_await attending;
    round.to_rows(answer.out, out, false);
    copy(answer.log_sum_exp.all(), round.among(log_sum_exp, answer.log_sum_exp.heads()));
    Task<> returned = round.finished();
    co_await returned;
  }
  for (Buffer* done : {&held.query, &held.key, &held.value}) done->release();
  RankAnswer answer{std::move(out), std::move(log_sum_exp)};
  co_return answer;
}

Task<RankGradients> Chunks::backward(Rank& rank, RankSaved saved) const {
  const index members = rank.ulysses.size();
  if (members == 1) {
    Task<RankGradients> all = gradients_of(rank, rank.held_heads(), std::move(saved));
    co_return co_await all;
  }
  const Problem& whole = rank.attention.whole();
  const Shape& shape = whole.shape;
  const index keys = rank.keys.of(rank.ring.place, rank.ulysses.place).count();
  Buffer dquery(rank.device, "dquery", whole.output, saved.dout.rows(), shape.heads, shape.dim);
  Buffer dkey(rank.device, "dkey", whole.output, keys, shape.kv_heads, shape.dim);
  Buffer dvalue(rank.device, "dvalue", whole.output, keys, shape.kv_heads, shape.value_dim);
  for (index number = 0; number < rounds(shape, members); ++number) {
    Round round(rank, number);
    const index heads = round.heads().query.count();
    Buffer dout = round.to_heads("dout of a round", saved.dout, false);
    Task<> came = round.finished();
    co_await came;
    RankSaved some{round.copy_of("query of a round", saved.query, heads),
                   round.copy_of("key of a round", saved.key, 1),
                   round.copy_of("value of a round", saved.value, 1),
                   round.copy_of("out of a round", saved.out, heads),
                   round.copy_of("log_sum_exp of a round", saved.log_sum_exp, heads),
                   std::move(dout)};
    Task<RankGradients> working = gradients_of(rank, round.heads(), std::move(some));
    const RankGradients gradients = co_await working;
    round.to_rows(gradients.dquery, dquery, false);
    round.to_rows(gradients.dkey, dkey, true);
    round.to_rows(gradients.dvalue, dvalue, true);
    Task<> returned = round.finished();
    co_await returned;
  }
  for (Buffer* done : {&saved.query, &saved.key, &saved.value, &saved.out, &saved.log_sum_exp, &saved.dout})
    done->release();
  RankGradients all{std::move(dquery), std::move(dkey), std::move(dvalue)};
  co_return all;
}

}  // namespace

SharedProgram heads_in_rounds() { return std::make_shared<Chunks>(); }

}  // namespace attestone
