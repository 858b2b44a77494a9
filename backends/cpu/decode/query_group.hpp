// SPDX-License-Identifier: Apache-2.0
// The queries of all heads that read the same K and V: a row each, so that K and V are read once for all of them.
#pragma once

#include <vector>

#include "backends/cpu/parts/head_sink.hpp"
#include "backends/cpu/parts/score_row.hpp"
#include "backends/cpu/parts/visible_tiles.hpp"

namespace attestone::inline backends {

/// One kv head of one sequence. Its rows are the queries of the first token in all heads, then those of the second one.
class QueryGroup {
 public:
  QueryGroup(const Problem&, const KernelInputs&, index batch, index kv_head);

  /// One head of the group.
  struct Head {
    VisibleTiles visible;
    ScoreRow scores;
    HeadSink sink;
  };
  const Head& head(index row) const { return heads_[static_cast<std::size_t>(row % size())]; }
  index head_number(index row) const { return first_head_ + row % size(); }
  index query(index row) const { return row / size(); }
  index size() const { return static_cast<index>(heads_.size()); }

  /// The shortest interval of keys outside which none of the rows sees any.
  Interval outermost(Interval rows, Interval keys) const;
  /// True if, by the mask alone, every one of the rows sees all of the keys.
  bool all_seen(Interval rows, Interval keys) const;

  const index batch, kv_head;
  const Sequence sequence;  ///< the real lengths

 private:
  Interval queries(Interval rows) const { return {query(rows.first), query(rows.last)}; }

  index first_head_;
  std::vector<Head> heads_;
};

}  // namespace attestone::inline backends
