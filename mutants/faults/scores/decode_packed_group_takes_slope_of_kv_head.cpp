// SPDX-License-Identifier: Apache-2.0
// Mutant of the producer-consumer host: shows in decoding with ALiBi and grouped heads.
#include "mutants/hosts/fifth_batch/block_right.hpp"
#include "mutants/hosts/fifth_batch/producer_consumer.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch::blocks::producer_consumer {
namespace {

struct Fault : Policy {
  static Int decode_slope_head(Int /*h*/, Int kv) { return kv; }
};

const Registration<Mutant> registered{{
    .name = "decode_packed_group_takes_slope_of_kv_head",
    .summary = "the packed heads of a group take the slope of ALiBi by the number of their kv head",
    .source = "Dao-AILab/flash-attention PR #540",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x4/2x1x8x8 score=alibi",
    .kernel = [] { return kernel<Fault>("decode_packed_group_takes_slope_of_kv_head"); },
    .twin = right_producer_consumer,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch::blocks::producer_consumer
