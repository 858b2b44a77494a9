// SPDX-License-Identifier: Apache-2.0
// Work items of batches with lengths are searched by groups of 31 sequences; the item that begins the next group is
// taken for one of the group before, found in none of its lanes, and dropped. Dao-AILab/flash-attention pull requests
// 2520 and 1823 (the warp's scan by 31). Shows with lengths or ragged layouts and at least 32 sequences: 64 rows of
// head 0 of sequences 31, 62, ... are never written.
#include "../hosts/door.hpp"
#include "../hosts/persistent.hpp"
#include "../hosts/two_pass_backward.hpp"

struct Fault : PersistentPolicy {
  static Index sequence_of(const std::vector<Index>& starts, Index t) {
    const auto batch = static_cast<Index>(starts.size()) - 1;
    Index group = 0;
    while (group + kLanes < batch && starts[place(group + kLanes)] < t) group += kLanes;
    const Index end = std::min(group + kLanes, batch);
    Index lane = group;
    while (lane < end && starts[place(lane + 1)] <= t) ++lane;
    return lane < end ? lane : batch;
  }
};

LIBRARY(Persistent<Fault>, TwoPassBackward<TwoPassPolicy>)
