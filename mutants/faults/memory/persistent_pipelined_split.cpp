// SPDX-License-Identifier: Apache-2.0
// Sequences of a batch that are answered from, or to, the place of another one.
#include "mutants/hosts/pipelines/fused_backward.hpp"
#include "mutants/hosts/pipelines/kernel.hpp"
#include "mutants/hosts/pipelines/persistent.hpp"
#include "mutants/hosts/pipelines/pipelined.hpp"
#include "mutants/hosts/pipelines/right.hpp"
#include "mutants/hosts/pipelines/split.hpp"
#include "mutants/hosts/pipelines/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::pipelines {
namespace {

/// Shows with one query, heads > kv_heads, batch > 1 and 1024 keys: later sequences read K and V of the first.
struct LongGroupedDecodingReadsFirstSequence : SplitPolicy {
  static Index key_slot(const Problem& p, const Sequence& s) {
    return p.a.queries == 1 && p.group > 1 && p.a.keys >= 1024 ? 0 : s.place;
  }
};

/// Shows with more than one sequence and an output that lies otherwise than the query: layout=packed_qkv,
/// bhsd+out/strided, and the like.
struct OutOfLaterSequencesByStridesOfQuery : PipelinedPolicy {
  static Index out_row(const Problem& p, const Sequence& s, Index h, Index row) {
    const Index stride = p.a.dim == p.a.value_dim ? p.query.stride[0] : p.out.stride[0];
    Index end = 1;  // of the output's memory: a real kernel would run past it, this one wraps
    for (int axis = 0; axis < 4; ++axis) end += (p.out.extent[axis] - 1) * p.out.stride[axis];
    const Index width = (p.a.value_dim - 1) * p.out.stride[3] + 1;
    return (s.place * stride + h * p.out.stride[1] + row * p.out.stride[2]) % std::max<Index>(1, end - width + 1);
  }
};

/// Shows with lengths or ragged layouts and at least 32 sequences: 64 rows of head 0 of sequences 31, 62, ... are
/// never written.
struct ThirtySecondSequenceLosesItsFirstTile : PersistentPolicy {
  static Index sequence_of(const std::vector<Index>& starts, Index t) {
    const auto batch = static_cast<Index>(starts.size()) - 1;
    Index group = 0;
    while (group + kLanes < batch && starts[place(group + kLanes)] < t) group += kLanes;
    const Index end = std::min(group + kLanes, batch);
    Index lane = group;
    while (lane < end && starts[place(lane + 1)] <= t) ++lane;
    return lane < end ? lane : batch;
  }
};

const Registrations<Mutant> registered{
    {.name = "long_grouped_decoding_reads_first_sequence",
     .summary = "decoding with grouped heads and 1024 keys or more has a kernel of its own, in which K and V lack the "
                "offset of the sequence",
     .source = "ml-explore/mlx PR #4431",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=2x4/2x1x1024x16",
     .batch = "third",
     .kernel =
         [] {
           return kernel<Split<LongGroupedDecodingReadsFirstSequence>, FusedBackward<FusedBackwardPolicy>>(
               "long_grouped_decoding_reads_first_sequence");
         },
     .twin = right_split_fused},
    {.name = "out_of_later_sequences_by_strides_of_query",
     .summary = "where dim and value_dim agree, the batch stride of the output is taken from the query",
     .source = "pytorch/FBGEMM PR #4796",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=2x2x16x16x16 layout=bhsd+out/strided",
     .batch = "third",
     .kernel =
         [] {
           return kernel<Pipelined<OutOfLaterSequencesByStridesOfQuery>, FusedBackward<FusedBackwardPolicy>>(
               "out_of_later_sequences_by_strides_of_query");
         },
     .twin = right_pipelined_fused},
    {.name = "thirty_second_sequence_loses_its_first_tile",
     .summary = "work items of batches with lengths are searched by groups of 31 sequences; the item that begins the "
                "next group is taken for one of the group before, found in none of its lanes, and dropped",
     .source = "Dao-AILab/flash-attention PR #2520, Dao-AILab/flash-attention PR #1823",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=33x2x8x8x8 layout=ragged",
     .batch = "third",
     .kernel =
         [] {
           return kernel<Persistent<ThirtySecondSequenceLosesItsFirstTile>, TwoPassBackward<TwoPassPolicy>>(
               "thirty_second_sequence_loses_its_first_tile");
         },
     .twin = right_persistent_two_pass},
};

}  // namespace
}  // namespace attestone::inline mutants::pipelines
