// SPDX-License-Identifier: Apache-2.0
// Mutant of the persistent host: shows where batch * heads is no multiple of 8 and there are more than 64 queries.
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/persistent.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/hosts/third_batch/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : PersistentPolicy {
  static Tile uniform_tile(const Problem& p, Index t, Index tiles) {
    const Index pairs = p.a.batch * p.a.heads, section = t / (kSection * tiles), within = t % (kSection * tiles);
    const Index width = std::min(kSection, pairs - section * kSection);
    const Index pair = section * kSection + within % width;
    return {pair / p.a.heads, pair % p.a.heads, tiles - 1 - within / kSection};
  }
};

const Registration<Mutant> registered{{
    .name = "last_section_numbered_by_full_width",
    .summary = "the last section of a grouped launch has fewer (sequence, head) pairs than eight; the tile of queries "
               "is still found by dividing by eight, so that some are answered twice and others never",
    .source = "flashinfer-ai/flashinfer PR #3283",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x3x130x32x16",
    .kernel =
        [] { return kernel<Persistent<Fault>, TwoPassBackward<TwoPassPolicy>>("last_section_numbered_by_full_width"); },
    .twin = right_persistent_two_pass,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
