// SPDX-License-Identifier: Apache-2.0
// Exchanging rows for heads.
#include "backends/distributed/methods/ulysses.hpp"

#include "backends/distributed/messages/elements.hpp"
#include "backends/distributed/methods/context_parallel.hpp"
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

}  // namespace attestone::inline backends
