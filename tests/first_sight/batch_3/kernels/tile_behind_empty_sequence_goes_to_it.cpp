// SPDX-License-Identifier: Apache-2.0
// The sequence of a work item is found by the first start that is not below it: where an empty sequence begins at the
// same place, the item is given to that one, and has no rows. Dao-AILab/flash-attention issue 1713 (cu_seqlens_q = [0,
// 150, 150, 300]). Shows with a sequence of no queries before another one: its last tile of 64 rows of head 0 is never
// written.
#include "../hosts/door.hpp"
#include "../hosts/persistent.hpp"
#include "../hosts/two_pass_backward.hpp"

struct Fault : PersistentPolicy {
  static Index sequence_of(const std::vector<Index>& starts, Index t) {
    const auto found = std::lower_bound(starts.begin(), starts.end() - 1, t);
    const Index b = found - starts.begin();
    return found == starts.end() - 1 || *found > t ? b - 1 : b;
  }
};

LIBRARY(Persistent<Fault>, TwoPassBackward<TwoPassPolicy>)
