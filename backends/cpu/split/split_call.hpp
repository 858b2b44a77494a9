// SPDX-License-Identifier: Apache-2.0
// One call of the split kernel: all parts of all tiles of queries, then one merge for each tile.
#pragma once

#include <deque>
#include <vector>

#include "backends/cpu/attend/attend.hpp"
#include "backends/cpu/attend/merge.hpp"

namespace attestone::inline backends {

/// All states live as long as the call: parts before their merge.
class SplitCall {
 public:
  SplitCall(const Problem&, const Arguments&, const AttendExtents&, index splits, MergeForm, Device&);

  void run(index workers);

 private:
  /// Queries of one head.
  struct Tile {
    const AttendedHead& head;
    Interval queries;
  };
  Tile tile(index number) const;
  AttendState& state(index tile, index part) { return states_[static_cast<std::size_t>(tile * splits_ + part)]; }

  /// The state of the queries of a part before its first key.
  OnlineSoftmax beginning(const AttendedHead& head, index part) const {
    return part == 0 ? head.sink.start() : OnlineSoftmax{};
  }
  void take_in(index tile, index part, AttendScratch&);
  void share_maximum(index tile);
  void merge(index tile, AttendScratch&);
  PartAnswer answer(index tile, index part, index panel, double* log_sum_exp);
  void merge_answers(index tile, index panel, double* log_sum_exp);

  const Problem& problem_;
  const Arguments& arguments_;
  Device& device_;
  AttendExtents extents_;
  index splits_, query_tiles_;
  MergeForm form_;
  bool divides_;  ///< parts by their own sums, before they are merged
  Attend attend_;
  std::vector<AttendedHead> heads_;
  std::deque<AttendState> states_;  ///< [tiles][splits]
};

}  // namespace attestone::inline backends
