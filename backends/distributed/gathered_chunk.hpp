// SPDX-License-Identifier: Apache-2.0
// K and V of all places, of some heads: gathered while a rank attends to others.
#pragma once

#include "backends/distributed/gathered_rows.hpp"
#include "backends/distributed/key_value.hpp"

namespace attestone {

/// Those of the heads that the rank is told to hold, out of `own`, which has all heads; nobody releases it before
/// everything has come.
class GatheredChunk {
 public:
  /// Makes room; the first hop is under way on return.
  GatheredChunk(Rank&, const KeyValue& own);
  GatheredChunk(const GatheredChunk&) = delete;

  /// Everything, once it has come. Only once.
  Task<KeyValue> all();

 private:
  std::vector<Gathered> tensors() const { return {{own_.key, all_.key}, {own_.value, all_.value}}; }

  Rank& rank_;
  KeyValue own_, all_;
  std::vector<Request> first_hop_;
};

/// What the queries of these heads answer to gathered keys, into their heads of an answer.
void attend(const Rank&, const LocalQueries& all, const KeyValue& gathered, RankAnswer&);
/// dQ into these heads of dquery; and what the queries add to dK and dV of all rows, in this format.
KeyValue share(Rank&, const LocalQueries& all, const KeyValue& gathered, const LocalAnswers&, const DType&,
               const Buffer& dquery);

}  // namespace attestone
