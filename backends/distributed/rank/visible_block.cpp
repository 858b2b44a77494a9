// SPDX-License-Identifier: Apache-2.0
// Cutting off what nobody sees, and putting the rest into words.
#include "backends/distributed/rank/visible_block.hpp"

#include <algorithm>

#include "backends/cpu/parts/visible_tiles.hpp"

namespace attestone::inline backends {
namespace {

/// Which pairs of held rows are seen: [heads][queries][keys].
class SeenPairsOfShards {
 public:
  SeenPairsOfShards(const Problem& whole, const KernelInputs& inputs, index sequence, const std::vector<index>& queries,
                    const std::vector<index>& keys)
      : heads_(whole.mask.differs_by_head() ? whole.shape.heads : 1),
        queries_(static_cast<index>(queries.size())),
        keys_(static_cast<index>(keys.size())),
        bytes_(static_cast<std::size_t>(heads_ * queries_ * keys_)) {
    if (keys_ == 0) return;
    const Interval within{keys.front(), keys.back()};
    std::vector<std::uint8_t> row(static_cast<std::size_t>(within.count()));
    auto seen = bytes_.begin();
    for (index head = 0; head < heads_; ++head) {
      const VisibleTiles visible(whole, inputs, sequence, head);
      for (const index query : queries) {
        visible.mark(query, within, nullptr, row.data());
        for (const index key : keys) *seen++ = row[static_cast<std::size_t>(key - within.first)];
      }
    }
  }

  bool operator()(index head, index query, index key) const {
    return bytes_[static_cast<std::size_t>((head * queries_ + query) * keys_ + key)] != 0;
  }
  /// True if every one of these pairs, of every head, is as `wanted(query, key)` says.
  template <class Wanted>
  bool all(Interval queries, Interval keys, Wanted wanted) const {
    for (index head = 0; head < heads_; ++head)
      for (index query = queries.first; query <= queries.last; ++query)
        for (index key = keys.first; key <= keys.last; ++key)
          if ((*this)(head, query, key) != wanted(query, key)) return false;
    return true;
  }
  bool none(Interval queries, Interval keys) const {
    return all(queries, keys, [](index, index) { return false; });
  }
  std::vector<std::uint8_t> of(Interval queries, Interval keys) const {
    std::vector<std::uint8_t> some;
    for (index head = 0; head < heads_; ++head)
      for (index query = queries.first; query <= queries.last; ++query)
        for (index key = keys.first; key <= keys.last; ++key) some.push_back((*this)(head, query, key) ? 1 : 0);
    return some;
  }

 private:
  index heads_, queries_, keys_;
  std::vector<std::uint8_t> bytes_;
};

/// Which rows of queries are left of a block.
enum class Kept { seeing, all };

SequenceBlock block_of(const Problem& whole, const KernelInputs& inputs, index sequence, const HeldRows& queries,
                       const HeldRows& keys, Kept kept) {
  SequenceBlock block{sequence, {0, queries.count(sequence) - 1}, {0, keys.count(sequence) - 1}, Seen::all, {}};
  Interval &q = block.queries, &k = block.keys;
  const SequenceBlock nothing{sequence, kept == Kept::all ? q : Interval{}, {}, Seen::all, {}};
  if (q.count() == 0 || k.count() == 0) return nothing;
  if (whole.mask.is_full()) return block;
  const SeenPairsOfShards seen(whole, inputs, sequence, queries.of(sequence), keys.of(sequence));
  if (seen.none(q, k)) return nothing;
  while (kept == Kept::seeing && seen.none({q.first, q.first}, k)) ++q.first;
  while (kept == Kept::seeing && seen.none({q.last, q.last}, k)) --q.last;
  while (seen.none(q, {k.first, k.first})) ++k.first;
  while (seen.none(q, {k.last, k.last})) --k.last;
  const index shift = k.last - q.last;
  if (seen.all(q, k, [](index, index) { return true; })) return block;
  block.seen = seen.all(q, k, [&](index query, index key) { return key <= query + shift; }) ? Seen::causal : Seen::some;
  if (block.seen == Seen::some) block.bytes = seen.of(q, k);
  return block;
}

}  // namespace

index query_rows(std::span<const SequenceBlock> blocks) {
  index rows = 0;
  for (const SequenceBlock& block : blocks) rows += block.queries.count();
  return rows;
}

std::vector<SequenceBlock> visible_blocks(const Problem& whole, const KernelInputs& inputs, const HeldRows& queries,
                                          const HeldRows& keys) {
  std::vector<SequenceBlock> blocks;
  for (index sequence = 0; sequence < queries.sequences(); ++sequence)
    if (SequenceBlock block = block_of(whole, inputs, sequence, queries, keys, Kept::seeing); !block.empty())
      blocks.push_back(std::move(block));
  return blocks;
}

std::vector<SequenceBlock> blocks_of_all_queries(const Problem& whole, const KernelInputs& inputs,
                                                 const HeldRows& queries, const HeldRows& keys, bool all_keys) {
  std::vector<SequenceBlock> blocks;
  for (index sequence = 0; sequence < queries.sequences(); ++sequence) {
    SequenceBlock block = block_of(whole, inputs, sequence, queries, keys, Kept::all);
    block.all_keys = all_keys;
    if (!block.empty()) blocks.push_back(std::move(block));
  }
  return blocks;
}

std::vector<SequenceBlock> every_row(const HeldRows& queries) {
  std::vector<SequenceBlock> blocks;
  for (index sequence = 0; sequence < queries.sequences(); ++sequence)
    blocks.push_back({sequence, {0, queries.count(sequence) - 1}, {}, Seen::all, {}});
  return blocks;
}

std::vector<SequenceBlock> whole_blocks(const Problem& whole, const KernelInputs& inputs, const HeldRows& queries,
                                        const HeldRows& keys) {
  std::vector<SequenceBlock> blocks;
  for (index sequence = 0; sequence < queries.sequences(); ++sequence) {
    SequenceBlock block{sequence, {0, queries.count(sequence) - 1}, {0, keys.count(sequence) - 1}, Seen::whole, {},
                        true};
    if (block.empty() && block.keys.count() == 0) continue;
    if (inputs.mask)
      block.bytes = SeenPairsOfShards(whole, inputs, sequence, queries.of(sequence), keys.of(sequence))
                        .of(block.queries, block.keys);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace attestone::inline backends
