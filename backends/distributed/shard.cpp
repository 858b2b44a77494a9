// SPDX-License-Identifier: Apache-2.0
// Dealing rows.
#include "backends/distributed/shard.hpp"

#include <algorithm>
#include <numeric>

namespace attestone {
namespace {

/// `count` things in `parts` parts that differ by one at most: the number of the first one of a part.
index begin_of_part(index count, index parts, index part) {
  return part * (count / parts) + std::min(part, count % parts);
}

std::vector<index> run(index first, index end) {
  std::vector<index> rows(static_cast<std::size_t>(end - first));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

/// The rows of one sequence at a place of the ring.
std::vector<index> dealt(Dealing dealing, index length, index ring, index ulysses, index place) {
  if (dealing == Dealing::striped) {
    std::vector<index> rows;
    for (index row = place; row < length; row += ring) rows.push_back(row);
    return rows;
  }
  const auto begin = [&](index parts, index part) { return begin_of_part(length, parts, part); };
  if (dealing == Dealing::block) {
    const index all = ring * ulysses;
    return run(begin(all, place * ulysses), begin(all, (place + 1) * ulysses));
  }
  const index chunks = 2 * ring, mirror = chunks - 1 - place;
  std::vector<index> rows = run(begin(chunks, place), begin(chunks, place + 1));
  const std::vector<index> late = run(begin(chunks, mirror), begin(chunks, mirror + 1));
  rows.insert(rows.end(), late.begin(), late.end());
  return rows;
}

/// What one of so many places has of the rows of a ring place.
std::vector<index> share(Dealing dealing, const std::vector<index>& rows, index length, index ring, index ring_places,
                         index ulysses, index ulysses_places) {
  const auto count = static_cast<index>(rows.size());
  index first = begin_of_part(count, ulysses_places, ulysses), end = begin_of_part(count, ulysses_places, ulysses + 1);
  if (dealing == Dealing::block) {
    const index all = ring_places * ulysses_places, before = ring * ulysses_places;
    const index begin = begin_of_part(length, all, before);
    first = begin_of_part(length, all, before + ulysses) - begin;
    end = begin_of_part(length, all, before + ulysses + 1) - begin;
  }
  return {rows.begin() + first, rows.begin() + end};
}

}  // namespace

HeldRows::HeldRows(std::vector<std::vector<index>> by_sequence) : rows_(std::move(by_sequence)), begins_{0} {
  for (const std::vector<index>& rows : rows_) begins_.push_back(begins_.back() + static_cast<index>(rows.size()));
}

Shards::Shards(Dealing dealing, const std::vector<index>& lengths, index ring, index ulysses) : ulysses_(ulysses) {
  for (index r = 0; r < ring; ++r) {
    std::vector<std::vector<index>> all;
    for (const index length : lengths) all.push_back(dealt(dealing, length, ring, ulysses, r));
    for (index u = 0; u < ulysses; ++u) {
      std::vector<std::vector<index>> own;
      for (std::size_t b = 0; b < lengths.size(); ++b)
        own.push_back(share(dealing, all[b], lengths[b], r, ring, u, ulysses));
      of_.emplace_back(std::move(own));
    }
    of_ring_.emplace_back(std::move(all));
  }
}

}  // namespace attestone
