// SPDX-License-Identifier: Apache-2.0
// Mutant of the persistent host: shows with masks of bytes (document, dense, prefix, lengths with a mask, ...) and more
// than 1536 keys.
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
    std::vector<Word> words = PersistentPolicy::key_tiles<P>(p, s, h, i0, i1);
    for (Word& word : words) word &= 0xffffffffu;
    return words;
  }
};

const Registration<Mutant> registered{{
    .name = "set_of_key_tiles_has_thirty_two_bits",
    .summary = "the set of key tiles that a tile of queries sees is made with 32-bit shifts: of each 64 tiles the "
               "upper 32 are never visited",
    .source = "HKUSTDial/flash-sparse-attention PR #266",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x1700x8 mask=document:2",
    .kernel =
        [] {
          return kernel<Persistent<Fault>, TwoPassBackward<TwoPassPolicy>>("set_of_key_tiles_has_thirty_two_bits");
        },
    .twin = right_persistent_two_pass,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
