// SPDX-License-Identifier: Apache-2.0
// The block program and the producer-consumer host of this room without a fault.
#include "mutants/hosts/staged_blocks/right.hpp"

#include "mutants/hosts/staged_blocks/block_program.hpp"
#include "mutants/hosts/staged_blocks/producer_consumer.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::staged_blocks {

SharedKernel right_block_program() { return block_program::kernel<block_program::Policy>("right_block_program"); }
SharedKernel right_producer_consumer() {
  return producer_consumer::kernel<producer_consumer::Policy>("right_producer_consumer");
}

namespace {

const Registration<Twin> of_block_program{
    {.name = "right_block_program",
     .summary = "a grid of programs that load and store blocks, exponentials to base 2; gradients by three kernels",
     .batch = "fifth",
     .kernel = right_block_program}};
const Registration<Twin> of_producer_consumer{
    {.name = "right_producer_consumer",
     .summary = "a ring of two stages, keys from last to first, packed heads and split keys in decoding, merged by "
                "rescaled sums, as declared",
     .batch = "fifth",
     .kernel = right_producer_consumer}};

}  // namespace
}  // namespace attestone::inline mutants::staged_blocks
