// SPDX-License-Identifier: Apache-2.0
// Mutant of the persistent host: shows with lengths or ragged layouts and at least 32 sequences: 64 rows of head 0 of
// sequences 31, 62, ... are never written.
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/persistent.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/hosts/third_batch/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

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

const Registration<Mutant> registered{{
    .name = "thirty_second_sequence_loses_its_first_tile",
    .summary = "work items of batches with lengths are searched by groups of 31 sequences; the item that begins the "
               "next group is taken for one of the group before, found in none of its lanes, and dropped",
    .source = "Dao-AILab/flash-attention PR #2520, Dao-AILab/flash-attention PR #1823",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=33x2x8x8x8 layout=ragged",
    .kernel =
        [] {
          return kernel<Persistent<Fault>, TwoPassBackward<TwoPassPolicy>>(
              "thirty_second_sequence_loses_its_first_tile");
        },
    .twin = right_persistent_two_pass,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
