// SPDX-License-Identifier: Apache-2.0
// Who holds which rows of a problem on a mesh.
#pragma once

#include <deque>

#include "backends/distributed/mesh.hpp"
#include "backends/distributed/rank_program.hpp"

namespace attestone {

/// The rows of every rank. Sequences are dealt to the places of the batch axis first, then the rows of each.
class MeshShards {
 public:
  MeshShards(const Problem&, const Mesh&, const RankProgram&);

  index ranks() const { return mesh_.devices(); }
  const Mesh& mesh() const { return mesh_; }
  const Shards& queries(index rank) const { return at(queries_, rank); }
  const Shards& keys(index rank) const { return at(keys_, rank); }
  const HeadShards& heads() const { return heads_; }
  /// The rank as closed forms of its costs see it.
  CostedRank costed(const Problem&, index rank, const Kernel& local) const;

 private:
  const Shards& at(const std::deque<Shards>& all, index rank) const {
    return all[static_cast<std::size_t>(mesh_.place(rank, "batch"))];
  }

  const Mesh& mesh_;
  HeadShards heads_;
  std::deque<Shards> queries_, keys_;  ///< [places of the batch]
};

}  // namespace attestone
