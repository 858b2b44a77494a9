// SPDX-License-Identifier: Apache-2.0
// Exchanging rows for heads.
#include "backends/distributed/ulysses.hpp"

#include "backends/distributed/collectives.hpp"

namespace attestone {
namespace {

/// The heads of a tensor that a member holds after the exchange: of Q and O, or of K and V.
using Heads = Interval HeldHeads::*;

/// One exchange of a tensor: what every member holds of its rows before, and of its heads after.
struct Exchange {
  const Shards& shards;
  const Group &ring, &group;
  const Shape& shape;
  Heads heads;

  Interval heads_of(index place) const { return ulysses_heads(shape, group.size(), place).*heads; }
  const HeldRows& rows_of(index place) const { return shards.of(ring.place, place); }
  const HeldRows& all_rows() const { return shards.of_ring(ring.place); }

  /// The rows of a member, sequence by sequence, among all rows of the group.
  std::vector<View> rows_in(const Buffer& exchanged, index place) const {
    std::vector<View> views;
    for (index sequence = 0; sequence < all_rows().sequences(); ++sequence) {
      index first = all_rows().begin(sequence);
      for (index before = 0; before < place; ++before) first += rows_of(before).count(sequence);
      views.push_back(exchanged.part(0, exchanged.heads(), first, rows_of(place).count(sequence)));
    }
    return views;
  }
  /// The same rows and heads among a member's own rows of all heads.
  std::vector<View> heads_in(const Buffer& own, index place) const {
    const Interval some = heads_of(place);
    std::vector<View> views;
    for (index sequence = 0; sequence < all_rows().sequences(); ++sequence) {
      const HeldRows& rows = rows_of(group.place);
      views.push_back(own.part(some.first, some.count(), rows.begin(sequence), rows.count(sequence)));
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
    for (index place = 0; place < exchange.group.size(); ++place) {
      rows.push_back(exchange.rows_in(exchanged, place));
      heads.push_back(exchange.heads_in(own, place));
    }
  }
};

class Exchanges {
 public:
  explicit Exchanges(Rank& rank) : rank_(rank) {}

  Exchange of_queries() const { return {rank_.queries, rank_.ring, rank_.ulysses, shape(), &HeldHeads::query}; }
  Exchange of_keys() const { return {rank_.keys, rank_.ring, rank_.ulysses, shape(), &HeldHeads::kv}; }

  /// Room for all rows of the rank's own heads, and the exchange that fills it, under way.
  Buffer to_heads(const Exchange& exchange, const char* name, const Buffer& own) {
    const Interval heads = exchange.heads_of(exchange.group.place);
    Buffer all(rank_.device, name, own.dtype(), exchange.all_rows().count(), heads.count(), own.channels());
    const Sides sides(exchange, own, all);
    start(read_only(sides.heads), sides.rows);
    return all;
  }
  /// Room for the rank's own rows of all heads, likewise.
  Buffer to_rows(const Exchange& exchange, const char* name, const Buffer& all) {
    const index heads = &HeldHeads::query == exchange.heads ? shape().heads : shape().kv_heads;
    const index rows = exchange.rows_of(exchange.group.place).count();
    Buffer own(rank_.device, name, all.dtype(), rows, heads, all.channels());
    const Sides sides(exchange, own, all);
    start(read_only(sides.rows), sides.heads);
    return own;
  }
  Task<> finished() { return all_of(std::exchange(under_way_, {})); }

 private:
  const Shape& shape() const { return rank_.attention.whole().shape; }
  void start(const std::vector<std::vector<ConstView>>& out, const std::vector<std::vector<View>>& in) {
    for (Request& request : all_to_all(rank_.communicator, rank_.ulysses, out, in))
      under_way_.push_back(std::move(request));
  }

  Rank& rank_;
  std::vector<Request> under_way_;
};

}  // namespace

HeldHeads ulysses_heads(const Shape& shape, index members, index place) {
  const index group = shape.heads / shape.kv_heads, least = shape.kv_heads / members, more = shape.kv_heads % members;
  const index first = place * least + std::min(place, more), count = least + (place < more ? 1 : 0);
  return {{first * group, (first + count) * group - 1}, {first, first + count - 1}};
}

Task<RankAnswer> ulysses_forward(Rank& rank, RankInputs held, RingVariant variant) {
  const HeldHeads heads = ulysses_heads(rank.attention.whole().shape, rank.ulysses.size(), rank.ulysses.place);
  if (rank.ulysses.size() == 1) {
    Task<RankAnswer> ring = ring_forward(rank, std::move(held), heads, variant);
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

  Task<RankAnswer> ring = ring_forward(rank, std::move(all), heads, variant);
  RankAnswer answer = co_await ring;
  Buffer out = exchanges.to_rows(queries, "out", answer.out);
  Task<> returned = exchanges.finished();
  co_await returned;
  answer.out = std::move(out);
  co_return answer;
}

Task<RankGradients> ulysses_backward(Rank& rank, RankSaved saved, RingVariant variant) {
  const HeldHeads heads = ulysses_heads(rank.attention.whole().shape, rank.ulysses.size(), rank.ulysses.place);
  if (rank.ulysses.size() == 1) {
    Task<RankGradients> ring = ring_backward(rank, std::move(saved), heads, variant);
    co_return co_await ring;
  }
  Exchanges exchanges(rank);
  const Exchange queries = exchanges.of_queries(), keys = exchanges.of_keys();
  Buffer dout = exchanges.to_heads(queries, "exchanged dout", saved.dout);
  Task<> came = exchanges.finished();
  co_await came;
  saved.dout = std::move(dout);

  Task<RankGradients> ring = ring_backward(rank, std::move(saved), heads, variant);
  const RankGradients all = co_await ring;
  RankGradients own{exchanges.to_rows(queries, "dquery", all.dquery), exchanges.to_rows(keys, "dkey", all.dkey),
                    exchanges.to_rows(keys, "dvalue", all.dvalue)};
  Task<> returned = exchanges.finished();
  co_await returned;
  co_return own;
}

}  // namespace attestone
