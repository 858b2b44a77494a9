// SPDX-License-Identifier: Apache-2.0
// Mutant of the producer-consumer host: shows where a group has more than one head, and not as many as there are kv
// heads.
#include "mutants/hosts/fifth_batch/block_right.hpp"
#include "mutants/hosts/fifth_batch/producer_consumer.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch::blocks::producer_consumer {
namespace {

struct Fault : Policy {
  static Int scheduled_head(Int x, Int /*kv_heads*/, Int group) { return (x % group) * group + x / group; }
};

const Registration<Mutant> registered{{
    .name = "head_schedule_mixes_up_group_and_kv_heads",
    .summary = "the schedule that interleaves heads takes modulus and stride from the size of a group, so "
               "that some heads are never computed",
    .source = "HazyResearch/HipKittens PR #22",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x8/4x8x8x8",
    .kernel = [] { return kernel<Fault>("head_schedule_mixes_up_group_and_kv_heads"); },
    .twin = right_producer_consumer,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch::blocks::producer_consumer
