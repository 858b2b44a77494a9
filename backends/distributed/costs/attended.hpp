// SPDX-License-Identifier: Apache-2.0
// The sizes of what a rank attends to: what closed forms of costs are made of.
#pragma once

#include <vector>

#include "backends/distributed/costs/rank_costs.hpp"

namespace attestone::inline backends {

/// Buffers that a rank holds at the same time.
using Moment = std::vector<NamedBytes>;
Moment operator+(Moment, const Moment& more);
index bytes_of(const Moment&);

/// The bytes of one element.
inline index width(const DType& format) { return format.bytes(1); }

/// Bytes of what a rank attends to: all rows of its own heads, after the exchange if there is one. Places are those of
/// the ring, so many steps back from the rank's own.
class Attended {
 public:
  explicit Attended(const CostedRank& rank)
      : rank_(rank), shape_(rank.problem.shape), heads_(rank.heads.of(rank.ulysses_place)) {}

  /// Rows of queries, times heads.
  index rows(index steps = 0) const { return rank_.queries.of_ring(place(steps)).count() * heads_.query.count(); }
  bool exchanged() const { return rank_.heads.members() > 1; }
  index queries(const DType& format, index steps = 0) const { return rows(steps) * shape_.dim * width(format); }
  index outs(const DType& format, index steps = 0) const { return rows(steps) * shape_.value_dim * width(format); }
  index log_sum_exp(index steps = 0) const { return rows(steps) * width(rank_.problem.log_sum_exp_dtype()); }
  /// One number in f32 for each row and head.
  index numbers(index steps = 0) const { return rows(steps) * width(dtype("f32")); }
  /// Rows, times heads, that a block has of the keys so many steps back: of sequences that have none there, nothing.
  index part_rows(index steps) const { return part_rows(keys_at(steps)); }
  /// K, or its gradient, of the place so many steps back; V; and both.
  index keys(index steps, const DType& format) const { return key_rows(steps) * shape_.dim * width(format); }
  index values(index steps, const DType& format) const { return key_rows(steps) * shape_.value_dim * width(format); }
  index key_values(index steps, const DType& format) const { return keys(steps, format) + values(steps, format); }
  /// One number in f32 for each of these rows of K, and one for each of V.
  index key_numbers(index steps) const { return 2 * key_rows(steps) * width(dtype("f32")); }
  /// The bytes of K and V of all places together.
  index all_key_values(const DType& format) const { return key_values(rank_.keys.all(), format); }

  /// The numbers for some of the rows of a place.
  index part_rows(const HeldRows& keys) const;
  index key_values(const HeldRows& keys, const DType& format) const {
    return keys.count() * heads_.kv.count() * (shape_.dim + shape_.value_dim) * width(format);
  }
  const HeldRows& keys_at(index steps) const { return rank_.keys.of_ring(place(steps)); }

  /// K and V of a step as the ring holds them: those that it begins with, or those that came.
  Moment shard(index step, std::string_view key, std::string_view value) const;
  /// Buffers held in a forward step (K, V, Q), named as before or after the exchange.
  Moment held_shard(index step) const;
  Moment held_query() const;

 private:
  index place(index steps) const { return ((rank_.ring_place - steps) % rank_.ring + rank_.ring) % rank_.ring; }
  index key_rows(index steps) const { return keys_at(steps).count() * heads_.kv.count(); }

  const CostedRank& rank_;
  const Shape& shape_;
  HeldHeads heads_;
};

/// The most of one call that is all of a pass, as of one device; it reads `held`, or `read` beside K, V and, before
/// delta, O.
void local_forward_costs(const CostedRank&, const Attended&, const Moment& held, RankCosts&);
void local_backward_costs(const CostedRank&, const Attended&, const DType& key_gradients, const Moment& read,
                          RankCosts&);

/// The query side that the backward pass reads: Q, log_sum_exp, dO by its name, delta.
Moment read_of_queries(const CostedRank&, const Attended&, std::string_view dout);

}  // namespace attestone::inline backends
