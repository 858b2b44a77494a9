// SPDX-License-Identifier: Apache-2.0
// Exchanging rows for heads.
#include "backends/distributed/ulysses.hpp"

#include "backends/distributed/context_parallel.hpp"
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

/// One exchange of a tensor: what every member holds of its rows before, and of its heads after.
struct Exchange {
  const Shards& shards;
  const Rank& rank;
  Interval HeldHeads::*heads;  ///< of Q and O, or of K and V

  bool of_keys() const { return heads == &HeldHeads::kv; }
  bool copied() const { return of_keys() && rank.heads.copies() > 1; }
  Interval heads_of(index place) const { return rank.heads.of(place).*heads; }
  const HeldRows& rows_of(index place) const { return shards.of(rank.ring.place, place); }
  const HeldRows& all_rows() const { return shards.of_ring(rank.ring.place); }

  /// The rows of a member, sequence by sequence, among all rows of the group; where heads are copied, one by one.
  std::vector<View> rows_in(const Buffer& exchanged, index place) const {
    std::vector<View> views;
    for (index sequence = 0; sequence < all_rows().sequences(); ++sequence) {
      index first = all_rows().begin(sequence);
      for (index before = 0; before < place; ++before) first += rows_of(before).count(sequence);
      const index rows = rows_of(place).count(sequence);
      if (!copied()) views.push_back(exchanged.part(0, exchanged.heads(), first, rows));
      for (index head = 0; copied() && head < exchanged.heads(); ++head)
        views.push_back(exchanged.part(head, 1, first, rows));
    }
    return views;
  }
  /// The same rows and heads among a member's own rows of all heads, or of all copies of them.
  std::vector<View> heads_in(const Buffer& own, index place) const {
    const Interval some = heads_of(place);
    const bool of_copies = own.heads() == rank.heads.kv_copies();
    std::vector<View> views;
    for (index sequence = 0; sequence < all_rows().sequences(); ++sequence) {
      const HeldRows& mine = rows_of(rank.ulysses.place);
      const index first = mine.begin(sequence), rows = mine.count(sequence);
      if (!copied()) views.push_back(own.part(some.first, some.count(), first, rows));
      for (index copy = some.first; copied() && copy <= some.last; ++copy)
        views.push_back(own.part(of_copies ? copy : rank.heads.kv_head(copy), 1, first, rows));
    }
    return views;
  }
};

std::vector<std::vector<ConstView>> read_only(const std::vector<std::vector<View>>& views) {
  std::vector<std::vector<ConstView>> all;
  for (const std::vector<View>& some : views) all.emplace_back(some.begin(), some.end());
  return all;
}

/// A tensor on both sides of its exchange.
struct Sides {
  std::vector<std::vector<View>> rows, heads;  ///< [members]: of all rows of own heads, of own rows of all heads

  Sides(const Exchange& exchange, const Buffer& own, const Buffer& exchanged) {
    for (index place = 0; place < exchange.rank.ulysses.size(); ++place) {
      rows.push_back(exchange.rows_in(exchanged, place));
      heads.push_back(exchange.heads_in(own, place));
    }
  }
};

class Exchanges {
 public:
  explicit Exchanges(Rank& rank) : rank_(rank) {}

  Exchange of_queries() const { return {rank_.queries, rank_, &HeldHeads::query}; }
  Exchange of_keys() const { return {rank_.keys, rank_, &HeldHeads::kv}; }

  /// Room for all rows of the rank's own heads, and the exchange that fills it, under way.
  Buffer to_heads(const Exchange& exchange, const char* name, const Buffer& own) {
    const Interval heads = exchange.heads_of(exchange.rank.ulysses.place);
    Buffer all(rank_.device, name, own.dtype(), exchange.all_rows().count(), heads.count(), own.channels());
    const Sides sides(exchange, own, all);
    start(read_only(sides.heads), sides.rows);
    return all;
  }
  /// Room for the rank's own rows of all heads, or copies of heads, likewise.
  Buffer to_rows(const Exchange& exchange, const char* name, const Buffer& all) {
    const index heads = exchange.of_keys() ? rank_.heads.kv_copies() : rank_.attention.whole().shape.heads;
    const index rows = exchange.rows_of(exchange.rank.ulysses.place).count();
    Buffer own(rank_.device, name, all.dtype(), rows, heads, all.channels());
    const Sides sides(exchange, own, all);
    start(read_only(sides.rows), sides.heads);
    return own;
  }
  Task<> finished() { return all_of(std::exchange(under_way_, {})); }

 private:
  void start(const std::vector<std::vector<ConstView>>& out, const std::vector<std::vector<View>>& in) {
    for (Request& request : all_to_all(rank_.communicator, rank_.ulysses, out, in))
      under_way_.push_back(std::move(request));
  }

  Rank& rank_;
  std::vector<Request> under_way_;
};

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
  const Exchange queries = exchanges.of_queries(), keys = exchanges.of_keys();
  RankInputs all{exchanges.to_heads(queries, "exchanged query", held.query),
                 exchanges.to_heads(keys, "exchanged key", held.key),
                 exchanges.to_heads(keys, "exchanged value", held.value)};
  Task<> came = exchanges.finished();
  co_await came;
  for (Buffer* done : {&held.query, &held.key, &held.value}) done->release();

  Task<RankAnswer> ring = ring_forward(rank, std::move(all), variant);
  RankAnswer answer = co_await ring;
  Buffer out = exchanges.to_rows(queries, "out", answer.out);
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
  const Exchange queries = exchanges.of_queries(), keys = exchanges.of_keys();
  Buffer dout = exchanges.to_heads(queries, "exchanged dout", saved.dout);
  Task<> came = exchanges.finished();
  co_await came;
  saved.dout = std::move(dout);

  Task<RankGradients> ring = ring_backward(rank, std::move(saved), variant);
  RankGradients all = co_await ring;
  RankGradients own{exchanges.to_rows(queries, "dquery", all.dquery), exchanges.to_rows(keys, "dkey", all.dkey),
                    exchanges.to_rows(keys, "dvalue", all.dvalue)};
  Task<> returned = exchanges.finished();
  co_await returned;
  for (Buffer* done : {&all.dquery, &all.dkey, &all.dvalue}) done->release();
  own.dkey = sum_of_copies(rank, "dkey", std::move(own.dkey));
  own.dvalue = sum_of_copies(rank, "dvalue", std::move(own.dvalue));
  co_return own;
}

}  // namespace attestone
