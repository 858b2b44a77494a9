// SPDX-License-Identifier: Apache-2.0
// Rows of V and O that are found by strides or offsets of another tensor.
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

/// Shows in ragged batches of more than one sequence with blocks that several processors share.
struct MergedRowsOfRaggedBatchesGoToFirstSequence : Stream {
  using Stream::Stream;

  Int out_at(const Block& block, Int h, Int i, bool merged) const override {
    return merged && ragged() ? out.offset(0, h, i) : Stream::out_at(block, h, i, merged);
  }
};

/// Shows with layout=broadcast and 33, 65, ... keys.
struct SingleTailKeyOfSharedHeadsRepeatsTheOneBefore : Fragments {
  using Fragments::Fragments;

  Int value_at(const Sequence& s, Int kv, Int j) const override {
    const bool shared = v.stride[1] == 0 && a.kv_heads > 1 && s.keys % 32 == 1 && s.keys > 1;
    return Fragments::value_at(s, kv, shared && j == s.keys - 1 ? j - 1 : j);
  }
};

/// Shows where V lies otherwise than K.
struct ValuesByStridesOfKeys : Fragments {
  using Fragments::Fragments;

  Int value_at(const Sequence& s, Int kv, Int j) const override {
    return dim == value_dim ? key_at(s, kv, j) : Fragments::value_at(s, kv, j);
  }
};

const Registrations<Mutant> registered{
    {.name = "merged_rows_of_ragged_batches_go_to_first_sequence",
     .summary = "in a ragged batch merged blocks are stored without the offset of their sequence",
     .source = "Dao-AILab/flash-attention #1217, Dao-AILab/flash-attention PR #2550",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=3x2x4x300x16 layout=ragged",
     .batch = "fourth",
     .kernel =
         [] {
           return kernel<MergedRowsOfRaggedBatchesGoToFirstSequence, Stored>(
               "merged_rows_of_ragged_batches_go_to_first_sequence");
         },
     .twin = right_stream_stored},
    {.name = "single_tail_key_of_shared_heads_repeats_the_one_before",
     .summary = "where all kv heads share V by a stride of 0 and keys are one more than a multiple of 32, the tail of "
                "one row takes the value of the row before",
     .source = "pytorch/pytorch #191937",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x4x33x16 layout=broadcast",
     .batch = "fourth",
     .kernel =
         [] {
           return kernel<SingleTailKeyOfSharedHeadsRepeatsTheOneBefore, Expanded>(
               "single_tail_key_of_shared_heads_repeats_the_one_before");
         },
     .twin = right_fragments_expanded},
    {.name = "values_by_strides_of_keys",
     .summary = "where dim and value_dim agree, the rows of V are found by the strides of K",
     .source = "ROCm/pytorch #3230",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x16x16x16 layout=bhsd+key/bshd",
     .batch = "fourth",
     .kernel = [] { return kernel<ValuesByStridesOfKeys, Stored>("values_by_strides_of_keys"); },
     .twin = right_fragments_stored},
};

}  // namespace
}  // namespace attestone::inline mutants::fragments
