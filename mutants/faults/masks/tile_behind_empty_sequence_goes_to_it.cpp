// SPDX-License-Identifier: Apache-2.0
// Mutant of the persistent host: shows with a sequence of no queries before another one: its last tile of 64 rows of
// head 0 is never written.
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
    const auto found = std::lower_bound(starts.begin(), starts.end() - 1, t);
    const Index b = found - starts.begin();
    return found == starts.end() - 1 || *found > t ? b - 1 : b;
  }
};

const Registration<Mutant> registered{{
    .name = "tile_behind_empty_sequence_goes_to_it",
    .summary = "the sequence of a work item is found by the first start that is not below it: where an empty sequence "
               "begins at the same place, the item is given to that one, and has no rows",
    .source = "Dao-AILab/flash-attention #1713",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=3x2x8x8x8 query_lengths=8+0+8",
    .kernel =
        [] {
          return kernel<Persistent<Fault>, TwoPassBackward<TwoPassPolicy>>("tile_behind_empty_sequence_goes_to_it");
        },
    .twin = right_persistent_two_pass,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
