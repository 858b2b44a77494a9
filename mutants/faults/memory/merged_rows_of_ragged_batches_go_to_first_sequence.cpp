// SPDX-License-Identifier: Apache-2.0
// Mutant of the stream host: shows in ragged batches of more than one sequence with blocks that several processors
// share.
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

  Int out_at(const Block& block, Int h, Int i, bool merged) const override {
    return merged && ragged() ? out.offset(0, h, i) : Stream::out_at(block, h, i, merged);
  }
};

const Registration<Mutant> registered{{
    .name = "merged_rows_of_ragged_batches_go_to_first_sequence",
    .summary = "in a ragged batch merged blocks are stored without the offset of their sequence",
    .source = "Dao-AILab/flash-attention #1217, Dao-AILab/flash-attention PR #2550",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=3x2x4x300x16 layout=ragged",
    .kernel = [] { return kernel<Fault, Stored>("merged_rows_of_ragged_batches_go_to_first_sequence"); },
    .twin = right_stream_stored,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
