// SPDX-License-Identifier: Apache-2.0
// Mutant: parts are shares of all keys of the call.
#include <algorithm>

#include "mutants/hosts/scheduled.hpp"
#include "mutants/hosts/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct PartsFollowKeys : SplitSteps {
  static constexpr index shares = 4;
  index part_keys(index keys) const override { return std::max<index>((keys + shares - 1) / shares, 1); }
};

const Registration<Mutant> registered{{
    .name = "parts_follow_keys",
    .summary = "splits the keys of the call into four parts, and declares that rows do not follow the keys behind the "
               "mask",
    .source = "Dao-AILab/flash-attention #2604",
    .property = "hidden_keys_invariant",
    .reason = "schedule",
    .problem = "shape=1x1x1x16x1 mask=causal",
    .kernel = [] { return declaring(split_mutant<PartsFollowKeys>("parts_follow_keys"), Invariance::hidden_keys); },
    .twin = [] { return declaring(split_twin(), Invariance::hidden_keys); },
}};

}  // namespace
}  // namespace attestone::inline mutants
