// SPDX-License-Identifier: Apache-2.0
// K and V of all places, of some heads: gathered while a rank attends to others.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "backends/distributed/rank/gathered_rows.hpp"
#include "backends/distributed/rank/key_value.hpp"

namespace attestone::inline backends {

/// Chunk after chunk of the heads that the rank holds. The first hop of the next chunk is under way while its program
/// attends to one.
class GatheredChunks {
 public:
  /// Gathers the rank's own rows with all heads, in so many chunks, or as many as there are heads.
  GatheredChunks(Rank&, KeyValue own, index chunks);
  GatheredChunks(const GatheredChunks&) = delete;

  /// The rank, told of one chunk of its heads after the other.
  std::span<Rank> ranks() { return ranks_; }
  /// The next chunk of all places, once it has arrived. The own rows are released with the last one.
  Task<KeyValue> next();
  bool finished() const { return begun_ == ranks_.size() && !coming_; }
  /// Extents of the own rows, also when they are gone.
  const KeyValue& own() const { return own_; }

 private:
  /// A chunk on its way, and what it is taken from: nobody releases that before everything has come.
  struct Coming {
    Coming(Rank&, const KeyValue& own);
    std::vector<Gathered> tensors() const { return {{own.key, all.key}, {own.value, all.value}}; }

    KeyValue own, all;
    std::vector<Request> first_hop;
  };
  void begin();

  KeyValue own_;
  std::vector<Rank> ranks_;
  std::optional<Coming> coming_;
  std::size_t begun_ = 0;
};

/// Writes the answers of these heads' queries to gathered keys into their heads of an answer.
void attend(const Rank&, const LocalQueries& all, const KeyValue& gathered, RankAnswer&);
/// dQ into these heads of dquery; and what the queries add to dK and dV of all rows, in this format.
KeyValue share(Rank&, const LocalQueries& all, const KeyValue& gathered, const LocalAnswers&, const DType&,
               const Buffer& dquery);

}  // namespace attestone::inline backends
