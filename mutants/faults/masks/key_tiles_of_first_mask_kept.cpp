// SPDX-License-Identifier: Apache-2.0
// Mutant of the persistent host: shows from the second call of a process on, with another mask of bytes of the same
// extents, or another sequence of the batch.
#include <array>
#include <map>
#include <mutex>

#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/persistent.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/hosts/third_batch/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : PersistentPolicy {
  template <class P>
  static std::vector<Word> key_tiles(const Problem& p, const Sequence& s, Index h, Index i0, Index i1) {
    static std::mutex lock;
    static std::map<std::array<Index, 4>, std::vector<Word>> known;
    const std::lock_guard<std::mutex> hold(lock);
    std::vector<Word>& words = known[{s.queries, s.keys, h, i0}];
    if (words.empty()) words = PersistentPolicy::key_tiles<P>(p, s, h, i0, i1);
    return words;
  }
};

const Registration<Mutant> registered{{
    .name = "key_tiles_of_first_mask_kept",
    .summary = "the set of key tiles of a mask is kept for the next call with the same queries, keys and head",
    .source = "XPU-Forces/mojo_opset PR #390",
    .property = "splits_merge",
    .reason = "split",
    .problem = "shape=2x2x16x200x8 mask=document:5",
    .kernel = [] { return kernel<Persistent<Fault>, TwoPassBackward<TwoPassPolicy>>("key_tiles_of_first_mask_kept"); },
    .twin = right_persistent_two_pass,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
