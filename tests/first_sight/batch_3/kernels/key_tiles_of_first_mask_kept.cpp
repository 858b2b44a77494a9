// SPDX-License-Identifier: Apache-2.0
// The set of key tiles of a mask is kept for the next call with the same queries, keys and head. XPU-Forces/mojo_opset
// pull request 390, review (a compressed mask cached under too few of its parameters). Shows from the second call of a
// process on, with another mask of bytes of the same extents, or another sequence of the batch.
#include <array>
#include <map>
#include <mutex>

#include "../hosts/door.hpp"
#include "../hosts/persistent.hpp"
#include "../hosts/two_pass_backward.hpp"

struct Fault : PersistentPolicy {
  template <class P>
  static std::vector<Word> key_tiles(const Problem& p, const Span& s, Index h, Index i0, Index i1) {
    static std::mutex lock;
    static std::map<std::array<Index, 4>, std::vector<Word>> known;
    const std::lock_guard<std::mutex> hold(lock);
    std::vector<Word>& words = known[{s.queries, s.keys, h, i0}];
    if (words.empty()) words = PersistentPolicy::key_tiles<P>(p, s, h, i0, i1);
    return words;
  }
};

LIBRARY(Persistent<Fault>, TwoPassBackward<TwoPassPolicy>)
