// SPDX-License-Identifier: Apache-2.0
// Mutant of the stream host: shows with alibi, one query, and grouped heads.
#include "mutants/hosts/fourth_batch/expanded.hpp"
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/hosts/fourth_batch/stream.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Stream {
  using Stream::Stream;

  float slope_of_row(const Block& block, Int row) const override {
    return a.queries == 1 ? slope_of(block.kv) : Stream::slope_of_row(block, row);
  }
};

const Registration<Mutant> registered{{
    .name = "slope_of_single_queries_by_kv_head",
    .summary = "with one query the heads of a group are rows, and all of them take the ALiBi slope at the "
               "number of their kv head",
    .source = "Dao-AILab/flash-attention PR #540",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x4/2x1x64x16 score=alibi",
    .kernel = [] { return kernel<Fault, Expanded>("slope_of_single_queries_by_kv_head"); },
    .twin = right_stream_expanded,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
