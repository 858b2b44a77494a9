// SPDX-License-Identifier: Apache-2.0
// Mutant of the producer-consumer host: shows under a right border where keys - queries is no multiple of a tile of 32
// keys.
#include "mutants/hosts/fifth_batch/block_right.hpp"
#include "mutants/hosts/fifth_batch/producer_consumer.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch::blocks::producer_consumer {
namespace {

struct Fault : Policy {
  static Int right_masked_tiles(Int tile_end, Int first_masked, const Sequence& s, bool bounded) {
    return bounded ? ceil_div(kBlockM + s.keys % kBlockN, kBlockN) : tile_end - first_masked;
  }
};

const Registration<Mutant> registered{{
    .name = "causal_mask_steps_forget_query_remainder",
    .summary = "how many tiles of keys need the causal mask is told by the remainder of the keys alone, so "
               "that the diagonal crosses one more",
    .source = "NVIDIA/cutlass PR #2480",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x36x64x8 mask=causal",
    .kernel = [] { return kernel<Fault>("causal_mask_steps_forget_query_remainder"); },
    .twin = right_producer_consumer,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch::blocks::producer_consumer
