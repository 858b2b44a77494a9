// SPDX-License-Identifier: Apache-2.0
// Mutant of the producer-consumer host: shows in split decoding where log_sum_exp is not asked for.
#include "mutants/hosts/fifth_batch/block_right.hpp"
#include "mutants/hosts/fifth_batch/producer_consumer.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch::blocks::producer_consumer {
namespace {

struct Fault : Policy {
  static bool stores_partial_sums(const Call& c) { return static_cast<bool>(c.log_sum_exp); }
};

const Registration<Mutant> registered{{
    .name = "split_sums_kept_only_if_lse_is_asked_for",
    .summary = "a split stores its maximum and sum only where the caller wants log_sum_exp, although the "
               "merge needs them",
    .source = "flashinfer-ai/flashinfer PR #50",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x128x8 wants=out",
    .kernel = [] { return kernel<Fault>("split_sums_kept_only_if_lse_is_asked_for"); },
    .twin = right_producer_consumer,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch::blocks::producer_consumer
