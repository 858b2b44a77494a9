// SPDX-License-Identifier: Apache-2.0
// The sizes of what ranks hold, for closed forms of costs.
#pragma once

#include "backends/distributed/costs/rank_costs.hpp"

namespace attestone {

/// Bytes of the buffers that a rank works on, for these heads. A place may be any integer: it is taken modulo the
/// places of the ring.
class Sizes {
 public:
  Sizes(const CostedRank& rank, HeldHeads heads) : rank_(rank), heads_(heads) {}
  explicit Sizes(const CostedRank& rank) : Sizes(rank, rank.heads.of(rank.ulysses_place)) {}

  index places() const { return rank_.ring; }
  index own() const { return rank_.ring_place; }
  index in() const { return rank_.problem.input.bytes(1); }
  index out() const { return rank_.problem.output.bytes(1); }

  index query(index place, index width) const { return entries(place) * shape().dim * width; }
  index answer(index place, index width) const { return entries(place) * shape().value_dim * width; }
  index statistic(index place, index width) const { return entries(place) * width; }
  index log_sum_exp(index place) const { return statistic(place, rank_.problem.log_sum_exp_dtype().bytes(1)); }
  index key(index place, index width) const { return key_entries(place) * shape().dim * width; }
  index value(index place, index width) const { return key_entries(place) * shape().value_dim * width; }
  index keys(index place, index width) const { return key(place, width) + value(place, width); }
  /// Bytes of the keys and values of all places together.
  index all_keys(index width) const;
  /// Rows times heads of the rank's queries in the sequences that have keys at a place.
  index part_rows(index place) const;
  /// Rows times heads of the rank's queries in the sequences that have keys at any place.
  index rows_with_keys() const;

  const Shape& shape() const { return rank_.problem.shape; }

 private:
  index at(index place) const { return ((place % rank_.ring) + rank_.ring) % rank_.ring; }
  index entries(index place) const { return rank_.queries.of_ring(at(place)).count() * heads_.query.count(); }
  index key_entries(index place) const { return rank_.keys.of_ring(at(place)).count() * heads_.kv.count(); }

  const CostedRank& rank_;
  HeldHeads heads_;
};

}  // namespace attestone
