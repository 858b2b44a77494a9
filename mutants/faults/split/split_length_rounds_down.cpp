// SPDX-License-Identifier: Apache-2.0
// Mutant of the producer-consumer host: shows in decoding where the keys are no multiple of the splits.
#include "mutants/hosts/fifth_batch/block_right.hpp"
#include "mutants/hosts/fifth_batch/producer_consumer.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch::blocks::producer_consumer {
namespace {

struct Fault : Policy {
  static Int split_length(Int keys, Int splits) { return keys / splits; }
};

const Registration<Mutant> registered{{
    .name = "split_length_rounds_down",
    .summary = "the keys are divided by the number of splits and nobody takes the remainder",
    .source = "tile-ai/TileOPs PR #20",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x129x8",
    .kernel = [] { return kernel<Fault>("split_length_rounds_down"); },
    .twin = right_producer_consumer,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch::blocks::producer_consumer
