// SPDX-License-Identifier: Apache-2.0
// ALiBi and biases that are taken from another head, row or key.
#include <bit>

#include "mutants/hosts/fragments/expanded.hpp"
#include "mutants/hosts/fragments/fragments.hpp"
#include "mutants/hosts/fragments/kernel.hpp"
#include "mutants/hosts/fragments/right.hpp"
#include "mutants/hosts/fragments/stored.hpp"
#include "mutants/hosts/fragments/stream.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fragments {
namespace {

/// Shows with alibi, more than 128 keys, and fewer queries.
struct AlibiOfLongBlocksFromQueryZero : Stream {
  using Stream::Stream;

  Int distance_of_row(const Block& block, Int i, Int j) const override {
    return block.steps > 4 ? std::abs(i - j) : Stream::distance_of_row(block, i, j);
  }
};

/// Shows with alibi and 3, 6, 12, ... heads, in both passes alike.
template <class Host>
struct AlibiSlopesByThePlainFormula : Host {
  using Host::Host;

  float slope_of(Int h) const override {
    const Int heads = this->a.heads;
    if (std::has_single_bit(static_cast<std::uint64_t>(heads))) return Host::slope_of(h);
    return std::exp2(-8.0f * static_cast<float>(h + 1) / static_cast<float>(heads));
  }
};

/// Shows in bf16 and f16 with a bias along keys and keys that are no multiple of four, in the last keys.
struct BiasTailTakenFromLastWholeVector : Fragments {
  using Fragments::Fragments;

  float bias_of(const Sequence& s, Int h, Int i, Int j) const override {
    const Int whole = a.keys / 4 * 4;
    if (bias.format != Format::f32 && j >= whole && a.keys > 4) j = j - whole + a.keys - 4;
    return Fragments::bias_of(s, h, i, j);
  }
};

/// Shows with alibi, one query, and grouped heads.
struct SlopeOfSingleQueriesByKvHead : Stream {
  using Stream::Stream;

  float slope_of_row(const Block& block, Int row) const override {
    return a.queries == 1 ? slope_of(block.kv) : Stream::slope_of_row(block, row);
  }
};

const Registrations<Mutant> registered{
    {.name = "alibi_of_long_blocks_from_query_zero",
     .summary = "blocks of more than four steps take the distance of ALiBi from the number of the query, not from its "
                "position",
     .source = "Dao-AILab/flash-attention #907",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x4x4x300x16 score=alibi",
     .batch = "fourth",
     .kernel = [] { return kernel<AlibiOfLongBlocksFromQueryZero, Stored>("alibi_of_long_blocks_from_query_zero"); },
     .twin = right_stream_stored},
    {.name = "alibi_slopes_by_the_plain_formula",
     .summary = "slopes are computed as 2^(-8 (h + 1) / heads), which is right for powers of two only",
     .source = "NVIDIA/TensorRT-LLM PR #1611",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x6x16x24x16 score=alibi",
     .batch = "fourth",
     .kernel =
         [] {
           return kernel<AlibiSlopesByThePlainFormula<Fragments>, AlibiSlopesByThePlainFormula<Expanded>>(
               "alibi_slopes_by_the_plain_formula");
         },
     .twin = right_fragments_expanded},
    {.name = "bias_tail_taken_from_last_whole_vector",
     .summary = "a 16-bit bias is loaded by four elements; the last vector of a row is moved back so that it ends with "
                "the row, and its elements are taken as if it had not been",
     .source = "pytorch/pytorch #112577, pytorch/pytorch PR #114837",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x8x18x16 score=bias:full dtype=bf16",
     .batch = "fourth",
     .kernel =
         [] { return kernel<BiasTailTakenFromLastWholeVector, Expanded>("bias_tail_taken_from_last_whole_vector"); },
     .twin = right_fragments_expanded},
    {.name = "slope_of_single_queries_by_kv_head",
     .summary = "with one query the heads of a group are rows, and all of them take the ALiBi slope at the number of "
                "their kv head",
     .source = "Dao-AILab/flash-attention PR #540",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x4/2x1x64x16 score=alibi",
     .batch = "fourth",
     .kernel = [] { return kernel<SlopeOfSingleQueriesByKvHead, Expanded>("slope_of_single_queries_by_kv_head"); },
     .twin = right_stream_expanded},
};

}  // namespace
}  // namespace attestone::inline mutants::fragments
