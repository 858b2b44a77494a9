// SPDX-License-Identifier: Apache-2.0
// Dropout that decides by eight bits of its random words.
#include "mutants/hosts/staged_blocks/producer_consumer.hpp"

#include "mutants/hosts/staged_blocks/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::staged_blocks::producer_consumer {
namespace {

/// Shows with dropout whose rate is no multiple of 1/256.
struct DropoutThresholdOfEightBits : Policy {
  static bool keeps(std::uint32_t word, double rate) { return (word >> 24) >= static_cast<std::uint32_t>(rate * 256); }
};

const Registrations<Mutant> registered{
    {.name = "dropout_threshold_of_eight_bits",
     .summary = "dropout compares the top byte of a random word with the rate times 256, while the weights that it "
                "keeps are divided by 1 - rate",
     .source = "NVIDIA/apex PR #1614, Dao-AILab/flash-attention",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x64x128x8 dropout=0.1",
     .batch = "fifth",
     .kernel = [] { return kernel<DropoutThresholdOfEightBits>("dropout_threshold_of_eight_bits"); },
     .twin = right_producer_consumer},
};

}  // namespace
}  // namespace attestone::inline mutants::staged_blocks::producer_consumer
