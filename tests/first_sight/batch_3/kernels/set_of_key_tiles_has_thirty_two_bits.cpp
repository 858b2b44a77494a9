// SPDX-License-Identifier: Apache-2.0
// The set of key tiles that a tile of queries sees is made with 32-bit shifts: of each 64 tiles the upper 32 are never
// visited. HKUSTDial/flash-sparse-attention pull request 266, review (bit-packed masks that cover 32 columns only).
// Shows with masks of bytes (document, dense, prefix, lengths with a mask, ...) and more than 1536 keys.
#include "../hosts/door.hpp"
#include "../hosts/persistent.hpp"
#include "../hosts/two_pass_backward.hpp"

struct Fault : PersistentPolicy {
  template <class P>
  static std::vector<Word> key_tiles(const Problem& p, const Span& s, Index h, Index i0, Index i1) {
    std::vector<Word> words = PersistentPolicy::key_tiles<P>(p, s, h, i0, i1);
    for (Word& word : words) word &= 0xffffffffu;
    return words;
  }
};

LIBRARY(Persistent<Fault>, TwoPassBackward<TwoPassPolicy>)
