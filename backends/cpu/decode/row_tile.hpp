// SPDX-License-Identifier: Apache-2.0
// A few queries take in an interval of keys, tile by tile.
#pragma once

#include "backends/cpu/decode/query_group.hpp"
#include "backends/cpu/decode/row_products.hpp"
#include "backends/cpu/decode/row_state.hpp"
#include "backends/cpu/parts/dropped_pairs.hpp"

namespace attestone::inline backends {

/// The sizes that fix the memory of a worker: the most queries that stay, the most keys that pass at a time, and rows
/// that are filled up with zeros to whole lanes.
struct RowExtents {
  RowExtents(const Problem&, index most_rows, index most_keys);

  index rows, keys, dim, value_dim;
  index decoded_keys;  ///< at a time, where rows do not lie as products read them
  index biased_keys;   ///< 0 without a bias tensor
};

/// One worker's buffers in addition to states.
struct RowScratch {
  RowScratch(Device&, const RowExtents&);
  /// 4 * (rows (dim + keys') + decoded_keys max(dim, value_dim) + biased_keys) + rows keys, where keys' are whole
  /// lanes.
  static index bytes(const RowExtents&);

  Allocation<float> Q;            ///< [rows][dim]
  Allocation<float> decoded;      ///< [decoded_keys][max(dim, value_dim)]: of K or V
  Allocation<float> S;            ///< [rows][keys']: scores, then weights
  Allocation<float> biases;       ///< [biased_keys]: of one row
  Allocation<std::uint8_t> seen;  ///< [rows][keys]: whether a row sees a key, where not every row sees all of them
  Work work;                      ///< what was done here and is not yet reported
};

/// Flash-decoding's step ("Flash-Decoding for long-context inference", 2023) for the rows of a group.
class RowTile {
 public:
  RowTile(const Problem&, const Arguments&, const RowExtents&);

  /// The queries of these rows become Q of the scratch.
  void load_queries(const QueryGroup&, Interval rows, RowScratch&) const;
  /// The state takes in these keys. The scratch must hold its queries.
  void take_in(const QueryGroup&, Interval rows, Interval keys, RowState&, RowScratch&) const;
  /// O / l and log_sum_exp of one row, row `at` of the state, rounded once to their formats: what saw no key answers 0,
  /// and the log_sum_exp of its sink, -infinity without one.
  void store(const QueryGroup&, index row, index at, RowState&, RowScratch&) const;

 private:
  void take_in_tile(const QueryGroup&, Interval rows, Interval keys, RowState&, RowScratch&) const;
  bool finish_scores(const QueryGroup&, Interval rows, Interval keys, RowScratch&) const;
  void add_values(Interval rows, Interval of_tile, KeyRows V, bool all_seen, RowState&, RowScratch&) const;

  const Problem& problem_;
  const Arguments& arguments_;
  RowExtents extents_;
  DroppedPairs dropped_;
  FloatRows query_, key_, value_;
};

}  // namespace attestone::inline backends
