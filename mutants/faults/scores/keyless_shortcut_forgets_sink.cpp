// SPDX-License-Identifier: Apache-2.0
// Mutant of the producer-consumer host: shows with sinks and queries that see no key.
#include "mutants/hosts/fifth_batch/block_right.hpp"
#include "mutants/hosts/fifth_batch/producer_consumer.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch::blocks::producer_consumer {
namespace {

struct Fault : Policy {
  static float empty_lse(float sink, bool early_exit) { return early_exit ? -kInfinity : sink; }
};

const Registration<Mutant> registered{{
    .name = "keyless_shortcut_forgets_sink",
    .summary = "the log_sum_exp of a query tile without keys is -inf, although the head has a sink",
    .source = "Dao-AILab/flash-attention PR #2706",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=2x2x8x16x8 lengths=0+16 score=sink:head",
    .kernel = [] { return kernel<Fault>("keyless_shortcut_forgets_sink"); },
    .twin = right_producer_consumer,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch::blocks::producer_consumer
