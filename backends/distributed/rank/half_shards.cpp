// SPDX-License-Identifier: Apache-2.0
// Which rows of a shard are those of its halves.
#include "backends/distributed/rank/half_shards.hpp"

#include "backends/distributed/messages/elements.hpp"

namespace attestone::inline backends {
namespace {

/// visit(rows in a shard of own keys, the same rows in one of its halves), of K and of V, sequence by sequence.
template <class Visit>
void for_each_part(const Rank& rank, const KeyValue& shard, const KeyValue& half, bool second, Visit visit) {
  const HeldRows& whole = rank.keys.of_ring(rank.ring.place);
  const HeldRows some = half_of(whole, second);
  const auto part = [](const Buffer& buffer, index first, index count) {
    return buffer.part(0, buffer.heads(), first, count);
  };
  for (index sequence = 0; sequence < whole.sequences(); ++sequence) {
    const index count = some.count(sequence), before = second ? whole.count(sequence) - count : 0;
    const index in_shard = whole.begin(sequence) + before, in_half = some.begin(sequence);
    visit(part(shard.key, in_shard, count), part(half.key, in_half, count));
    visit(part(shard.value, in_shard, count), part(half.value, in_half, count));
  }
}

}  // namespace

KeyValue half_of(Rank& rank, const KeyValue& own, bool second) {
  const index rows = half_of(rank.keys.of_ring(rank.ring.place), second).count();
  KeyValue half(rank, "KV", own.key.dtype(), own.value.dtype(), rows, rank.held_heads());
  for_each_part(rank, own, half, second, [](const View& from, const View& to) { copy(from, to); });
  return half;
}

KeyValue joined(Rank& rank, std::string_view name, const KeyValue& first, const KeyValue& second) {
  KeyValue all(rank, name, first.key.dtype(), first.value.dtype(), first.key.rows() + second.key.rows(),
               rank.held_heads());
  const auto put = [](const View& to, const View& from) { copy(from, to); };
  for_each_part(rank, all, first, false, put);
  for_each_part(rank, all, second, true, put);
  return all;
}

}  // namespace attestone::inline backends
