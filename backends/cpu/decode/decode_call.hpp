// SPDX-License-Identifier: Apache-2.0
// One call of the decode kernel: all parts of all tiles of rows, then one merge for each tile.
#pragma once

#include <deque>
#include <vector>

#include "backends/cpu/decode/row_tile.hpp"

namespace attestone::inline backends {

/// How many parts there are of so many keys: at least one. It depends on nothing but these.
constexpr index parts_of(index keys, index part_keys) { return std::max<index>(tiles_of(keys, part_keys), 1); }

/// How many tiles hold the rows of a group.
constexpr index row_tiles_of(const Shape& shape, index rows) {
  return tiles_of(shape.queries * (shape.heads / shape.kv_heads), rows);
}

/// All states live as long as the call: parts before their merge.
class DecodeCall {
 public:
  DecodeCall(const Problem&, const Arguments&, const RowExtents&, index part_keys, Device&);

  void run(index workers);

 private:
  /// Some rows of one group that have a place in the tensors; of padding there are the last ones, or none are real.
  struct Tile {
    const QueryGroup& group;
    Interval rows;
    Interval real() const { return {rows.first, std::min(rows.last, group.sequence.queries * group.size() - 1)}; }
  };
  Tile tile(index number) const;
  RowState& state(index tile, index part) { return states_[static_cast<std::size_t>(tile * parts_ + part)]; }
  void take_in(index tile, index part, RowScratch&);
  void merge(index tile, RowScratch&);

  const Problem& problem_;
  Device& device_;
  RowExtents extents_;
  index part_keys_, parts_, row_tiles_;
  RowTile step_;
  std::vector<QueryGroup> groups_;
  std::deque<RowState> states_;  ///< [tiles][parts]
};

}  // namespace attestone::inline backends
