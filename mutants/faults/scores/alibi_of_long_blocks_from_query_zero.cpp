// SPDX-License-Identifier: Apache-2.0
// Mutant of the stream host: shows with alibi, more than 128 keys, and fewer queries.
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/hosts/fourth_batch/stored.hpp"
#include "mutants/hosts/fourth_batch/stream.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Stream {
  using Stream::Stream;

  Int distance_of_row(const Block& block, Int i, Int j) const override {
    return block.steps > 4 ? std::abs(i - j) : Stream::distance_of_row(block, i, j);
  }
};

const Registration<Mutant> registered{{
    .name = "alibi_of_long_blocks_from_query_zero",
    .summary = "blocks of more than four steps take the distance of ALiBi from the number of the query, not "
               "from its position",
    .source = "Dao-AILab/flash-attention #907",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x4x4x300x16 score=alibi",
    .kernel = [] { return kernel<Fault, Stored>("alibi_of_long_blocks_from_query_zero"); },
    .twin = right_stream_stored,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
