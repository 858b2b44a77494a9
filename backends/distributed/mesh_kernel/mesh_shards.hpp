// SPDX-License-Identifier: Apache-2.0
// Who holds which rows and heads of a problem on a mesh.
#pragma once

#include <deque>

#include "backends/distributed/method/rank_program.hpp"
#include "backends/distributed/sharding/mesh.hpp"

namespace attestone::inline backends {

/// Which rows and heads a rank holds of a tensor.
struct HeldPart {
  const HeldRows& rows;
  Interval heads;
};

/// The rows of every rank. Sequences are dealt to the places of the batch axis first, then the rows of each.
class MeshShards {
 public:
  MeshShards(const Problem&, const Mesh&, const RankProgram&);

  index ranks() const { return mesh_.devices(); }
  const Mesh& mesh() const { return mesh_; }
  const Shards& queries(index rank) const { return at(queries_, rank); }
  const Shards& keys(index rank) const { return at(keys_, rank); }
  const HeadShards& heads() const { return heads_; }

  /// A rank's own rows, of all heads: before and after any exchange.
  HeldPart own_queries(index rank) const;
  HeldPart own_keys(index rank) const;
  /// The rows and heads that local attention reads: those after the exchange.
  HeldPart attended_queries(index rank) const;
  HeldPart attended_keys(index rank) const;

  /// The rank as its program sees it.
  Rank rank(index number, Communicator&, Device&, LocalAttention) const;
  /// The rank as closed forms of its costs see it.
  CostedRank costed(const Problem&, index rank, const Kernel& local) const;

 private:
  const Shards& at(const std::deque<Shards>& all, index rank) const {
    return all[static_cast<std::size_t>(mesh_.place(rank, "batch"))];
  }
  index place(index rank) const { return mesh_.place_of(rank); }
  index ulysses(index rank) const { return mesh_.place(rank, "ulysses"); }

  const Mesh& mesh_;
  index query_heads_, kv_heads_;
  HeadShards heads_;
  std::deque<Shards> queries_, keys_;  ///< [places of the batch]
};

}  // namespace attestone::inline backends
