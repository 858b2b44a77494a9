// SPDX-License-Identifier: Apache-2.0
// The last section of a grouped launch has fewer (sequence, head) pairs than eight; the tile of queries is still found
// by dividing by eight, so that some are answered twice and others never. flashinfer-ai/flashinfer pull request 3283,
// review (grouped swizzle of the final partial group). Shows where batch * heads is no multiple of 8 and there are
// more than 64 queries.
#include "../hosts/door.hpp"
#include "../hosts/persistent.hpp"
#include "../hosts/two_pass_backward.hpp"

struct Fault : PersistentPolicy {
  static Tile uniform_tile(const Problem& p, Index t, Index tiles) {
    const Index pairs = p.a.batch * p.a.heads, section = t / (kSection * tiles), within = t % (kSection * tiles);
    const Index width = std::min(kSection, pairs - section * kSection);
    const Index pair = section * kSection + within % width;
    return {pair / p.a.heads, pair % p.a.heads, tiles - 1 - within / kSection};
  }
};

LIBRARY(Persistent<Fault>, TwoPassBackward<TwoPassPolicy>)
