// SPDX-License-Identifier: Apache-2.0
// Mutant of the stream host: shows with grouped heads and a sequence of no keys that is not the first one.
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

  Int lse_at(const Block& block, Int h, Int i) const override {
    if (block.steps > 0 || ragged()) return Stream::lse_at(block, h, i);
    const Int place = block.s.place * a.kv_heads + h;
    return lse.offset(std::min(place / a.heads, a.batch - 1), place % a.heads, i);
  }
};

const Registration<Mutant> registered{{
    .name = "log_sum_exp_of_empty_blocks_by_kv_head",
    .summary = "the early exit of blocks that no key reaches finds its place in log_sum_exp as if there were "
               "as many heads as kv heads: it overwrites that of other sequences",
    .source = "Dao-AILab/flash-attention PR #2573, Dao-AILab/flash-attention PR #2851",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=3x4/2x8x24x16 lengths=24+0+24",
    .kernel = [] { return kernel<Fault, Stored>("log_sum_exp_of_empty_blocks_by_kv_head"); },
    .twin = right_stream_stored,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
