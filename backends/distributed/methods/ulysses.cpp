// SPDX-License-Identifier: Apache-2.0
// Ulysses: an exchange turns some rows of all heads into all rows of some heads, and another one undoes it.
#include "backends/distributed/methods/ulysses.hpp"

#include "backends/distributed/messages/elements.hpp"
#include "backends/distributed/methods/context_parallel.hpp"
#include "backends/distributed/methods/merge_costs.hpp"
#include "backends/distributed/rank/buffers.hpp"
#include "backends/distributed/rank/exchange.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

const Registration<RankProgramEntry> registered{{
    .name = "ulysses",
    .summary = "an exchange makes all rows of some heads out of some rows of all heads, and another one undoes it",
    .settings = ContextParallel::ulysses_settings(),
    .examples = ContextParallel::ulysses_examples(),
    .meshes = {"ulysses:1", "ulysses:2", "ulysses:3+batch:2", "ulysses:4"},
    .make = [](const Settings& settings) -> std::shared_ptr<const RankProgram> {
      return std::make_shared<ContextParallel>("ulysses", std::vector<std::string_view>{"ulysses", "batch"}, settings);
    },
}};

/// Answers of all chunks of heads, head by head where they belong.
RankAnswer joined(Rank& rank, Buffers outs, Buffers log_sum_exps) {
  const index chunks = std::ssize(outs);
  if (chunks == 1) return {std::move(outs[0]), std::move(log_sum_exps[0])};
  const auto room = [&](const char* name, const Buffer& like, index heads) {
    return Buffer(rank.device, name, like.dtype(), like.rows(), heads, like.channels());
  };
  const auto part = [](const Buffer& of, index first, index heads) { return of.part(first, heads, 0, of.rows()); };
  const Interval own = rank.held_heads().query;
  Buffer log_sum_exp = room("log_sum_exp", log_sum_exps[0], own.count());
  for (index number = 0; number < chunks; ++number) {
    const Interval some = rank.heads.chunk(number, chunks).of(rank.ulysses.place).query;
    const Buffer& chunk = log_sum_exps[static_cast<std::size_t>(number)];
    copy(chunk.all(), part(log_sum_exp, some.first - own.first, some.count()));
  }
  log_sum_exps.clear();
  Buffer out = room("out", outs[0], rank.attention.whole().shape.heads);
  for (index number = 0; number < chunks; ++number) {
    index before = 0;
    for (index place = 0; place < rank.ulysses.size(); ++place) {
      const Interval some = rank.heads.chunk(number, chunks).of(place).query;
      copy(part(outs[static_cast<std::size_t>(number)], before, some.count()), part(out, some.first, some.count()));
      before += some.count();
    }
  }
  return {std::move(out), std::move(log_sum_exp)};
}

}  // namespace

Task<RankAnswer> ulysses_forward(Rank& rank, RankInputs held, RingVariant variant) {
  if (rank.ulysses.size() == 1) {
    Task<RankAnswer> ring = ring_forward(rank, std::move(held), variant);
    co_return co_await ring;
  }
  const index chunks = rank.heads.chunks(variant.chunks);
  Buffers outs, log_sum_exps;
  for (index number = 0; number < chunks; ++number) {
    Rank some = rank;
    some.heads = rank.heads.chunk(number, chunks);
    Exchanges exchanges(some);
    RankInputs all{exchanges.to_heads(Side::queries, "exchanged query", held.query),
                   exchanges.to_heads(Side::keys, "exchanged key", held.key),
                   exchanges.to_heads(Side::keys, "exchanged value", held.value)};
    Task<> came = exchanges.finished();
    co_await came;
    if (number == chunks - 1)
      for (Buffer* done : {&held.query, &held.key, &held.value}) done->release();

    Task<RankAnswer> ring = ring_forward(some, std::move(all), variant);
    RankAnswer answer = co_await ring;
    outs.push_back(exchanges.to_rows(Side::queries, "out", answer.out));
    Task<> returned = exchanges.finished();
    co_await returned;
    log_sum_exps.push_back(std::move(answer.log_sum_exp));
  }
  RankAnswer answer = joined(rank, std::move(outs), std::move(log_sum_exps));
  co_return answer;
}

namespace {

/// Gradients of copies of a head, added up and rounded once; as they are, if there is one of each.
Buffer sum_of_copies(Rank& rank, const char* name, Buffer copies) {
  const index each = rank.heads.copies();
  if (each == 1) return copies;
  const Problem& whole = rank.attention.whole();
  Buffer sums(rank.device, name, whole.output, copies.rows(), whole.shape.kv_heads, copies.channels());
  for_each_element(sums.all(), [&](index, index head, index row, index channel) {
    double sum = 0;
    for (index copy = 0; copy < each; ++copy) sum += copies.all().value(0, head * each + copy, row, channel);
    sums.all().set(0, head, row, channel, sum);
  });
  return sums;
}

}  // namespace

Task<RankGradients> ulysses_backward(Rank& rank, RankSaved saved, RingVariant variant) {
  if (rank.ulysses.size() == 1) {
    Task<RankGradients> ring = ring_backward(rank, std::move(saved), variant);
    co_return co_await ring;
  }
  Exchanges exchanges(rank);
  Buffer dout = exchanges.to_heads(Side::queries, "exchanged dout", saved.dout);
  Task<> came = exchanges.finished();
  co_await came;
  saved.dout = std::move(dout);

  Task<RankGradients> ring = ring_backward(rank, std::move(saved), variant);
  RankGradients all = co_await ring;
  RankGradients own{exchanges.to_rows(Side::queries, "dquery", all.dquery),
                    exchanges.to_rows(Side::keys, "dkey", all.dkey),
                    exchanges.to_rows(Side::keys, "dvalue", all.dvalue)};
  Task<> returned = exchanges.finished();
  co_await returned;
  for (Buffer* done : {&all.dquery, &all.dkey, &all.dvalue}) done->release();
  own.dkey = sum_of_copies(rank, "dkey", std::move(own.dkey));
  own.dvalue = sum_of_copies(rank, "dvalue", std::move(own.dvalue));
  co_return own;
}

// Costs: what a rank sends and holds, in closed form.

namespace {

/// The rows of a rank before an exchange, of the heads of all members, and what of them leaves it.
class Exchanged {
 public:
  Exchanged(const Shards& shards, const CostedRank& rank, index heads, index own_heads)
      : own_rows_(shards.of(rank.ring_place, rank.ulysses_place).count()),
        all_rows_(shards.of_ring(rank.ring_place).count()),
        heads_(heads),
        own_heads_(own_heads) {}

  /// Rows, times heads, that are sent when rows become heads, when heads become rows, and that are there before.
  index to_heads() const { return own_rows_ * (heads_ - own_heads_); }
  index to_rows() const { return (all_rows_ - own_rows_) * own_heads_; }
  index before() const { return own_rows_ * heads_; }
  index own_rows() const { return own_rows_; }

 private:
  index own_rows_, all_rows_, heads_, own_heads_;
};

Exchanged exchanged_queries(const CostedRank& rank) {
  return {rank.queries, rank, rank.heads.query_heads(), rank.heads.of(rank.ulysses_place).query.count()};
}
Exchanged exchanged_keys(const CostedRank& rank) {
  return {rank.keys, rank, rank.heads.kv_heads(), rank.heads.of(rank.ulysses_place).kv.count()};
}

/// The inside of an exchange: a ring, or one call.
RankCosts attention_costs(const CostedRank& rank, const Attended& own, const RingVariant& variant,
                          const Moment& inputs) {
  RankCosts costs;
  if (rank.ring == 1)
    local_forward_costs(rank, own, inputs, costs);
  else
    ring_forward_costs(rank, own, variant, costs);
  return costs;
}

}  // namespace

/// Chunk by chunk: inputs of all heads until the last one has left, and answers of all chunks before.
RankCosts ulysses_forward_costs(const CostedRank& rank, const RingVariant& variant) {
  const Shape& shape = rank.problem.shape;
  const DType &in = rank.problem.input, &out = rank.problem.output;
  const index rows = exchanged_queries(rank).own_rows(), keys = exchanged_keys(rank).own_rows() * shape.kv_heads;
  const Moment inputs{{"query", rows * shape.heads * shape.dim * width(in)},
                      {"key", keys * shape.dim * width(in)},
                      {"value", keys * shape.value_dim * width(in)}};
  const index members = rank.heads.members();
  if (members == 1) return attention_costs(rank, Attended(rank), variant, inputs);

  RankCosts costs;
  Moment outs, log_sum_exps;
  const index chunks = rank.heads.chunks(variant.chunks);
  for (index number = 0; number < chunks; ++number) {
    CostedRank some = rank;
    some.heads = rank.heads.chunk(number, chunks);
    const Attended own(some);
    const Exchanged q = exchanged_queries(some), k = exchanged_keys(some);
    const Moment exchanged{{"exchanged query", own.queries(in)},
                           {"exchanged key", own.keys(0, in)},
                           {"exchanged value", own.values(0, in)}};
    const Moment answers = outs + log_sum_exps;
    costs.hold(inputs + exchanged + answers);
    const Moment held = number < chunks - 1 ? inputs + answers : answers;
    costs.add(attention_costs(some, own, variant, exchanged), held);
    outs.push_back({"out", q.before() * shape.value_dim * width(out)});
    log_sum_exps.push_back({"log_sum_exp", own.log_sum_exp()});
    costs.hold(held + Moment{{"out", own.outs(out)}, outs.back(), log_sum_exps.back()});
    const index in_bytes = q.to_heads() * shape.dim + k.to_heads() * (shape.dim + shape.value_dim);
    costs.send(4 * (members - 1), in_bytes * width(in) + q.to_rows() * shape.value_dim * width(out));
  }
  if (chunks > 1) {  // put together, log_sum_exp first
    const Moment log_sum_exp{{"log_sum_exp", bytes_of(log_sum_exps)}};
    costs.hold(outs + log_sum_exps + log_sum_exp);
    costs.hold(outs + log_sum_exp + Moment{{"out", bytes_of(outs)}});
  }
  return costs;
}

RankCosts ulysses_backward_costs(const CostedRank& rank, const RingVariant& variant) {
  RankCosts costs;
  const Attended own(rank);
  const Shape& shape = rank.problem.shape;
  const DType &in = rank.problem.input, &out = rank.problem.output, &of_keys = *variant.key_gradients;
  const Exchanged q = exchanged_queries(rank), k = exchanged_keys(rank);
  const std::string_view dout = own.exchanged() ? "exchanged dout" : "dout";
  const Moment saved{{"query", own.queries(in)}, {"log_sum_exp", own.log_sum_exp()}};
  const Moment read = read_of_queries(rank, own, dout);
  if (rank.ring == 1)
    local_backward_costs(rank, own, of_keys, read, costs);
  else
    ring_backward_costs(rank, own, variant, read, costs);
  if (!own.exchanged()) return costs;
  costs.hold(saved + own.shard(0, "key", "value") +
             Moment{{"out", own.outs(out)},
                    {"exchanged dout", own.outs(out)},
                    {"dout", q.before() * shape.value_dim * width(out)}});
  const Moment attended{
      {"dquery", own.queries(out)}, {"dkey", own.keys(0, of_keys)}, {"dvalue", own.values(0, of_keys)}};
  const Moment dquery{{"dquery", q.before() * shape.dim * width(out)}};
  const Moment dkey{{"dkey", k.before() * shape.dim * width(of_keys)}};
  const Moment dvalue{{"dvalue", k.before() * shape.value_dim * width(of_keys)}};
  costs.hold(attended + dquery + dkey + dvalue);
  if (rank.heads.copies() > 1) {  // added up when the exchanged gradients are gone, dK first
    const index heads = k.own_rows() * shape.kv_heads * width(out);
    const Moment own_dkey{{"dkey", heads * shape.dim}}, own_dvalue{{"dvalue", heads * shape.value_dim}};
    costs.hold(dquery + dkey + dvalue + own_dkey);
    costs.hold(dquery + own_dkey + dvalue + own_dvalue);
  }
  costs.send(4 * (rank.heads.members() - 1), (q.to_heads() * shape.value_dim + q.to_rows() * shape.dim) * width(out) +
                                                 k.to_rows() * (shape.dim + shape.value_dim) * width(of_keys));
  return costs;
}

}  // namespace attestone::inline backends
