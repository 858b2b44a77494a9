// SPDX-License-Identifier: Apache-2.0
// Exchanging rows for heads.
#include "backends/distributed/ulysses.hpp"

#include "backends/distributed/context_parallel.hpp"
#include "backends/distributed/exchange.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<RankProgramEntry> registered{{
    .name = "ulysses",
    .summary = "an exchange makes all rows of some heads out of some rows of all heads, and another one undoes it",
    .settings = ContextParallel::ulysses_settings(),
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

}  // namespace

Task<RankAnswer> ulysses_forward(Rank& rank, RankInputs held, RingVariant variant) {
  if (rank.ulysses.size() == 1) {
    Task<RankAnswer> ring = ring_forward(rank, std::move(held), variant);
    co_return co_await ring;
  }
  Exchanges exchanges(rank);
  RankInputs all{exchanges.to_heads(Side::queries, "exchanged query", held.query),
                 exchanges.to_heads(Side::keys, "exchanged key", held.key),
                 exchanges.to_heads(Side::keys, "exchanged value", held.value)};
  Task<> came = exchanges.finished();
  co_await came;
  for (Buffer* done : {&held.query, &held.key, &held.value}) done->release();

  Task<RankAnswer> ring = ring_forward(rank, std::move(all), variant);
  RankAnswer answer = co_await ring;
  Buffer out = exchanges.to_rows(Side::queries, "out", answer.out);
  Task<> returned = exchanges.finished();
  co_await returned;
  answer.out = std::move(out);
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

}  // namespace attestone
