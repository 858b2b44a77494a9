// SPDX-License-Identifier: Apache-2.0
// Backward passes whose workers lose, skip or misread parts of gradients: tiles at a border, sequences, dropped
// pairs.
#include "mutants/hosts/pipelines/fused_backward.hpp"
#include "mutants/hosts/pipelines/kernel.hpp"
#include "mutants/hosts/pipelines/persistent.hpp"
#include "mutants/hosts/pipelines/pipelined.hpp"
#include "mutants/hosts/pipelines/right.hpp"
#include "mutants/hosts/pipelines/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::pipelines {
namespace {

/// Shows in dbias under causal with a bias that has a query axis, where a tile of 32 queries and 32 keys lies above
/// the diagonal.
struct DbiasAboveTheDiagonalNotConverted : FusedBackwardPolicy {
  static bool converts_bias(const Problem& p, Index i, Index j) {
    if (p.a.mask_form != ATTESTONE_MASK_BAND || p.a.causal == 0 || p.dbias.extent[2] == 1) return true;
    return j / kKeys * kKeys <= std::min(i / kRows * kRows + kRows, p.a.queries) - 1 + p.a.keys - p.a.queries;
  }
};

/// Shows in dbias with softcap beside a bias, more the smaller the cap.
struct DbiasGetsSlopeOfSoftcap : FusedBackwardPolicy {
  static float bias_term(float ds, float slope) { return ds * slope; }
};

/// Shows with several threads and several tiles of 32 keys: dQ within its bound, and with other bits from call to
/// call.
struct DeterministicAddsInOrderOfArrival : FusedBackwardPolicy {
  static bool in_order(const Problem&) { return false; }
  /// Another one each time, so that no two calls add in the same order on any machine.
  static Index first_tile() {
    static std::atomic<Index> groups = 0;
    return groups++;
  }
};

/// Shows in dQ with deterministic=0, more than one thread and more than 32 keys, in some runs more than in others.
struct DqueryUpdatesGetLost : FusedBackwardPolicy {
  static bool locked(const Problem& p) { return p.a.deterministic != 0; }
};

/// Shows in dQ, dK and dbias with dropout; dV is right.
struct DroppedPairsSendNoScoreGradient : FusedBackwardPolicy {
  static bool takes_dropped(bool kept) { return kept; }
};

/// Shows in dsink with more than one sequence.
struct DsinkKeepsTheLastSequence : TwoPassPolicy {
  static void add_sink(float& total, float sequence_sum) { total = sequence_sum; }
};

/// Shows in dK and dV with query_lengths that hold a 0, padded or ragged.
struct KeysOfSequenceWithoutQueriesNotWritten : FusedBackwardPolicy {
  static bool writes_keys(const Sequence& s) { return s.queries > 0; }
};

/// Shows in all gradients with layout=ragged, more than one head and more than one sequence.
struct RaggedLogSumExpReadByLongestSequence : TwoPassPolicy {
  static Index lse_place(const Problem& p, const Sequence& s, Index h, Index i) {
    if (!p.ragged()) return TwoPassPolicy::lse_place(p, s, h, i);
    const Index last = p.log_sum_exp.offset(0, p.a.heads - 1, p.log_sum_exp.extent[2] - 1);
    return std::min(h * p.a.queries + s.first_query + i, last);  // a real kernel would run past the end
  }
};

/// Shows in dQ, dK and delta where V's channels lie apart: layout=transposed, bhsd+value/transposed.
struct ValueChannelsAssumedAdjacentInBackward : TwoPassPolicy {
  static float value_channel(const Problem& p, Index row, Index c) { return p.value.load(row + c); }
};

/// Shows where left mod 32 is 1 (with as many queries as keys): dQ of rows 64, 96, ... and dK, dV of the last key
/// of each tile.
struct WindowRowAtTileBoundaryForgotten : FusedBackwardPolicy {
  template <class P>
  static Range rows(const Problem& p, const Sequence& s, Index j0, Index j1) {
    Range reach = query_reach<P>(p, s, j0, j1);
    if (p.a.mask_form != ATTESTONE_MASK_BAND || p.a.window_left < 0) return reach;
    const Index end = j1 - 1 + p.a.window_left - s.shift;
    reach.end = std::clamp<Index>(ceil_div(std::max<Index>(end, 0), kRows) * kRows, reach.begin, s.queries);
    return reach;
  }
};

/// The fused backward host with a fault.
template <class Fault>
SharedKernel fused_backward(const char* name) {
  return kernel<Pipelined<PipelinedPolicy>, FusedBackward<Fault>>(name);
}

/// The two-pass backward host with a fault.
template <class Fault>
SharedKernel two_pass(const char* name) {
  return kernel<Persistent<PersistentPolicy>, TwoPassBackward<Fault>>(name);
}

const Registrations<Mutant> registered{
    {.name = "dbias_above_the_diagonal_not_converted",
     .summary = "tiles of dbias that causal hides as a whole are skipped by the kernel that converts it, and keep what "
                "lay in the memory",
     .source = "HKUSTDial/flash-sparse-attention PR #191",
     .property = "gradient_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x2x64x64x16 mask=causal score=bias:head pass=forward+backward",
     .batch = "third",
     .kernel =
         [] { return fused_backward<DbiasAboveTheDiagonalNotConverted>("dbias_above_the_diagonal_not_converted"); },
     .twin = right_pipelined_fused},
    {.name = "dbias_gets_slope_of_softcap",
     .summary = "dbias is what dQ and dK are made of, the derivative of the softcap included, though the bias is added "
                "behind it",
     .source = "openxla/tokamax PR #1121",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x16x24x16 score=softcap:1&bias:head pass=forward+backward",
     .batch = "third",
     .kernel = [] { return fused_backward<DbiasGetsSlopeOfSoftcap>("dbias_gets_slope_of_softcap"); },
     .twin = right_pipelined_fused},
    {.name = "deterministic_adds_in_order_of_arrival",
     .summary = "the deterministic flag is taken and not obeyed: dQ is added up in the order of arrival",
     .source = "Dao-AILab/flash-attention #2244",
     .property = "gradient_repeats",
     .reason = "not-repeatable",
     .problem = "shape=1x2x64x512x32 pass=forward+backward",
     .batch = "third",
     .kernel =
         [] { return fused_backward<DeterministicAddsInOrderOfArrival>("deterministic_adds_in_order_of_arrival"); },
     .twin = right_pipelined_fused},
    {.name = "dquery_updates_get_lost",
     .summary = "without determinism workers read, add and write their part of dQ without a lock",
     .source = "Dao-AILab/flash-attention #359",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x64x512x32 pass=forward+backward deterministic=0",
     .batch = "third",
     .kernel = [] { return fused_backward<DqueryUpdatesGetLost>("dquery_updates_get_lost"); },
     .twin = right_pipelined_fused},
    {.name = "dropped_pairs_send_no_score_gradient",
     .summary = "the weights behind dropout, not those before it, are the P of dS = P (dP - delta): pairs that were "
                "dropped send nothing, though they take their share of the softmax",
     .source = "aws-neuron/nki-samples PR #81",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x16x24x16 dropout=0.3 pass=forward+backward",
     .batch = "third",
     .kernel = [] { return fused_backward<DroppedPairsSendNoScoreGradient>("dropped_pairs_send_no_score_gradient"); },
     .twin = right_pipelined_fused},
    {.name = "dsink_keeps_the_last_sequence",
     .summary = "the sink's gradient is stored by each sequence, not added",
     .source = "ROCm/aiter PR #1576",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=2x2x16x16x16 score=sink:head pass=forward+backward",
     .batch = "third",
     .kernel = [] { return two_pass<DsinkKeepsTheLastSequence>("dsink_keeps_the_last_sequence"); },
     .twin = right_persistent_two_pass},
    {.name = "keys_of_sequence_without_queries_not_written",
     .summary = "a sequence that has no queries has no work, and dK and dV of its keys keep what lay in the memory",
     .source = "Dao-AILab/flash-attention #2562",
     .property = "gradient_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=2x2x8x24x16 query_lengths=8+0 pass=forward+backward",
     .batch = "third",
     .kernel =
         [] {
           return fused_backward<KeysOfSequenceWithoutQueriesNotWritten>(
               "keys_of_sequence_without_queries_not_written");
         },
     .twin = right_pipelined_fused},
    {.name = "ragged_log_sum_exp_read_by_longest_sequence",
     .summary = "in a ragged batch log_sum_exp is read as if each head had as many rows as the longest sequence has "
                "queries, not as many as all have",
     .source = "pytorch/pytorch PR #187899, Dao-AILab/flash-attention PR #970",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=2x2x16x16x16 lengths=16+9 query_lengths=16+9 layout=ragged pass=forward+backward",
     .batch = "third",
     .kernel =
         [] { return two_pass<RaggedLogSumExpReadByLongestSequence>("ragged_log_sum_exp_read_by_longest_sequence"); },
     .twin = right_persistent_two_pass},
    {.name = "value_channels_assumed_adjacent_in_backward",
     .summary = "the backward pass reads V with its strides of batch, head and row, and channels one behind the other",
     .source = "pytorch/pytorch PR #187506",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x16x24x16 layout=transposed pass=forward+backward",
     .batch = "third",
     .kernel =
         [] { return two_pass<ValueChannelsAssumedAdjacentInBackward>("value_channels_assumed_adjacent_in_backward"); },
     .twin = right_persistent_two_pass},
    {.name = "window_row_at_tile_boundary_forgotten",
     .summary = "the queries that a tile of keys meets under a left window end one too early; as whole tiles of 32 "
                "queries are visited, that matters only where the last of them begins a tile",
     .source = "microsoft/onnxruntime PR #25927",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x96x96x16 mask=window:33:0 pass=forward+backward",
     .batch = "third",
     .kernel = [] { return fused_backward<WindowRowAtTileBoundaryForgotten>("window_row_at_tile_boundary_forgotten"); },
     .twin = right_pipelined_fused},
};

}  // namespace
}  // namespace attestone::inline mutants::pipelines
