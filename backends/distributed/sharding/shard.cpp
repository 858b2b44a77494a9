// SPDX-License-Identifier: Apache-2.0
// Dealing rows.
#include "backends/distributed/sharding/shard.hpp"

#include <algorithm>
#include <numeric>

namespace attestone::inline backends {
namespace {

/// `count` things in `parts` parts that differ by one at most: the number of the first one of a part.
index begin_of_part(index count, index parts, index part) {
  return part * (count / parts) + std::min(part, count % parts);
}

std::vector<index> part_of(const std::vector<index>& rows, index parts, index part) {
  const auto count = static_cast<index>(rows.size());
  return {rows.begin() + begin_of_part(count, parts, part), rows.begin() + begin_of_part(count, parts, part + 1)};
}

/// A sequence, dealt.
struct DealtSequence {
  std::vector<std::vector<index>> ring;  ///< [places of the ring]
  std::vector<std::vector<index>> all;   ///< [places of the ring][places of their Ulysses groups]
};

/// Neighbouring rows for every place of all; a Ulysses group has those of its members.
DealtSequence dealt_in_blocks(const std::vector<index>& rows, index ring, index ulysses) {
  DealtSequence dealt{std::vector<std::vector<index>>(static_cast<std::size_t>(ring)), {}};
  for (index place = 0; place < ring * ulysses; ++place) {
    dealt.all.push_back(part_of(rows, ring * ulysses, place));
    std::vector<index>& group = dealt.ring[static_cast<std::size_t>(place / ulysses)];
    group.insert(group.end(), dealt.all.back().begin(), dealt.all.back().end());
  }
  return dealt;
}

/// The rows of a place of the ring: the r-th of 2 N chunks and its mirror image, or every N-th row.
std::vector<index> ring_part(Dealing dealing, const std::vector<index>& rows, index ring, index place) {
  std::vector<index> own;
  if (dealing == Dealing::striped) {
    for (std::size_t row = static_cast<std::size_t>(place); row < rows.size(); row += static_cast<std::size_t>(ring))
      own.push_back(rows[row]);
    return own;
  }
  own = part_of(rows, 2 * ring, place);
  const std::vector<index> mirror = part_of(rows, 2 * ring, 2 * ring - 1 - place);
  own.insert(own.end(), mirror.begin(), mirror.end());
  return own;
}

std::vector<index> rows_of(index length) {
  std::vector<index> rows(static_cast<std::size_t>(length));
  std::iota(rows.begin(), rows.end(), index{0});
  return rows;
}

DealtSequence dealt_sequence(Dealing dealing, index length, index ring, index ulysses) {
  const std::vector<index> rows = rows_of(length);
  if (dealing == Dealing::block) return dealt_in_blocks(rows, ring, ulysses);
  DealtSequence dealt;
  for (index place = 0; place < ring; ++place) {
    dealt.ring.push_back(ring_part(dealing, rows, ring, place));
    for (index member = 0; member < ulysses; ++member) dealt.all.push_back(part_of(dealt.ring.back(), ulysses, member));
  }
  return dealt;
}

std::vector<std::vector<index>> undealt(const std::vector<index>& lengths) {
  std::vector<std::vector<index>> rows;
  for (const index length : lengths) rows.push_back(rows_of(length));
  return rows;
}

/// The rows at one place of every sequence.
std::vector<HeldRows> held(const std::vector<DealtSequence>& sequences,
                           std::vector<std::vector<index>> DealtSequence::*places, index count) {
  std::vector<HeldRows> all;
  for (index place = 0; place < count; ++place) {
    std::vector<std::vector<index>> rows;
    for (const DealtSequence& sequence : sequences) rows.push_back((sequence.*places)[static_cast<std::size_t>(place)]);
    all.emplace_back(std::move(rows));
  }
  return all;
}

}  // namespace

HeldRows::HeldRows(std::vector<std::vector<index>> by_sequence) : rows_(std::move(by_sequence)), begins_{0} {
  for (const std::vector<index>& rows : rows_) begins_.push_back(begins_.back() + static_cast<index>(rows.size()));
}

HeldRows half_of(const HeldRows& rows, bool second) {
  std::vector<std::vector<index>> half;
  for (index sequence = 0; sequence < rows.sequences(); ++sequence) {
    const std::vector<index>& all = rows.of(sequence);
    const auto middle = all.begin() + rows.count(sequence) / 2;
    half.emplace_back(second ? middle : all.begin(), second ? all.end() : middle);
  }
  return HeldRows(std::move(half));
}

Dealing dealing_of(std::string_view name) {
  return name == "zigzag" ? Dealing::zigzag : name == "striped" ? Dealing::striped : Dealing::block;
}

Shards::Shards(Dealing dealing, const std::vector<index>& lengths, index ring, index ulysses)
    : ulysses_(ulysses), all_(undealt(lengths)) {
  std::vector<DealtSequence> sequences;
  for (const index length : lengths) sequences.push_back(dealt_sequence(dealing, length, ring, ulysses));
  of_ring_ = held(sequences, &DealtSequence::ring, ring);
  of_ = held(sequences, &DealtSequence::all, ring * ulysses);
}

}  // namespace attestone::inline backends
