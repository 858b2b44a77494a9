// SPDX-License-Identifier: Apache-2.0
// Mutant of the producer-consumer host: shows in decoding with a sink where a window leaves the first split without
// keys.
#include "mutants/hosts/fifth_batch/block_right.hpp"
#include "mutants/hosts/fifth_batch/producer_consumer.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch::blocks::producer_consumer {
namespace {

struct Fault : Policy {
  static bool seeds_sink(Int split, bool empty, bool empty_before) { return split == 0 || (!empty && empty_before); }
};

const Registration<Mutant> registered{{
    .name = "split_sink_twice_when_first_split_is_empty",
    .summary = "a split that has no keys publishes the sink, and the first split with keys takes it once "
               "more",
    .source = "ROCm/rocm-libraries #12227",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x128x8 mask=window:40:0 score=sink:head",
    .kernel = [] { return kernel<Fault>("split_sink_twice_when_first_split_is_empty"); },
    .twin = right_producer_consumer,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch::blocks::producer_consumer
