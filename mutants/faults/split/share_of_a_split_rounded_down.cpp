// SPDX-License-Identifier: Apache-2.0
// Mutant of the split host: shows where the tiles are no multiple of the splits, for more than 128 keys: 300 or 600,
// while 256, 500 and 512 are right. The last keys are missing.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/hosts/third_batch/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : SplitPolicy {
  static Range split(const Sequence& s, Index number, Index splits) {
    const Index share = std::max<Index>(1, ceil_div(s.keys, kKeys) / splits);
    return {std::min(s.keys, number * share * kKeys), std::min(s.keys, (number + 1) * share * kKeys)};
  }
};

const Registration<Mutant> registered{{
    .name = "share_of_a_split_rounded_down",
    .summary = "tiles of 32 keys are divided among splits with the remainder dropped",
    .source = "tile-ai/tilelang PR #2010",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x4x300x16",
    .kernel = [] { return kernel<Split<Fault>, FusedBackward<FusedBackwardPolicy>>("share_of_a_split_rounded_down"); },
    .twin = right_split_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
