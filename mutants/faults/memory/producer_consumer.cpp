// SPDX-License-Identifier: Apache-2.0
// A schedule of heads that leaves some out.
#include "mutants/hosts/staged_blocks/producer_consumer.hpp"

#include "mutants/hosts/staged_blocks/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::staged_blocks::producer_consumer {
namespace {

/// Shows where a group has more than one head, and not as many as there are kv heads.
struct HeadScheduleMixesUpGroupAndKvHeads : Policy {
  static Int scheduled_head(Int x, Int /*kv_heads*/, Int group) { return (x % group) * group + x / group; }
};

const Registrations<Mutant> registered{
    {.name = "head_schedule_mixes_up_group_and_kv_heads",
     .summary = "the schedule that interleaves heads takes modulus and stride from the size of a group, so that some "
                "heads are never computed",
     .source = "HazyResearch/HipKittens PR #22",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x8/4x8x8x8",
     .batch = "fifth",
     .kernel = [] { return kernel<HeadScheduleMixesUpGroupAndKvHeads>("head_schedule_mixes_up_group_and_kv_heads"); },
     .twin = right_producer_consumer},
};

}  // namespace
}  // namespace attestone::inline mutants::staged_blocks::producer_consumer
