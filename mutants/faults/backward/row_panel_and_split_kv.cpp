// SPDX-License-Identifier: Apache-2.0
// Backward passes over strips of keys that go wrong in delta, in partial sums, and in sums over heads and sequences.
#include <atomic>
#include <chrono>

#include "mutants/hosts/row_panels/kernel.hpp"
#include "mutants/hosts/row_panels/right.hpp"
#include "mutants/hosts/row_panels/row_panel.hpp"
#include "mutants/hosts/row_panels/split_kv.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::row_panels {
namespace {

/// Shows in dBias where a bias repeats over the batch.
struct DbiasOfLastSequence : SplitKv {
  void begin_bias_gradient(BiasSums& dbias) const override {
    if (dbias.wanted() && dbias.repeats_over_batch()) dbias.clear();
  }
};

/// Shows in dK, dBias and dSink where nobody asks for dQ.
struct DeltaOnlyWithDquery : RowPanel {
  bool needs_delta(const RowCall& call) const override { return static_cast<bool>(call.dquery); }
};

/// Shows in all gradients where dO lies otherwise than O.
struct DoutReadWithStridesOfOut : RowPanel {
  Tensor dout_of(const RowCall& call) const override {
    Tensor dout = call.dout;
    for (int axis = 0; axis < 4; ++axis) dout.stride[axis] = call.out.stride[axis];
    return dout;
  }
};

/// Shows in gradients with dropout and more than 256 keys.
struct DropoutKeyLocalToStrip : RowPanel {
  Int dropout_key(Int key, Int strip_begin) const override { return key - strip_begin; }
};

/// Shows in dK and dV with more than one thread and heads that share a kv head, in some runs more than in others.
struct HeadsRaceOnDk : SplitKv {
  void head_done(Floats& of_head, Floats& of_kv_head) const override {
    Floats read(of_head.size());
    for (std::size_t n = 0; n < read.size(); ++n)
      read[n] = std::atomic_ref(of_kv_head[n]).load(std::memory_order_relaxed);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // long enough for another head
    for (std::size_t n = 0; n < read.size(); ++n)
      std::atomic_ref(of_kv_head[n]).store(read[n] + of_head[n], std::memory_order_relaxed);
    of_head.clear();
  }
};

/// Shows in dQ and dK of a ragged batch where a sequence has other than a multiple of 16 queries.
struct RaggedDeltaOverlaps : RowPanel {
  Int delta_offset(const RowCall& call, const Sequence& s) const override {
    return call.ragged() ? s.first_query / block_rows() * block_rows() : RowPanel::delta_offset(call, s);
  }
};

/// Shows in dQ where masks let a block of rows skip a strip of keys, and the workspace held something.
struct SkippedDqPartialsUnwritten : RowPanel {
  void skipped_partial(float* /*partial*/, Int /*elements*/) const override {}
};

/// Shows in gradients with softcap and a bias or ALiBi.
struct SoftcapSlopeFromBiasedScore : RowPanel {
  float cap_slope(const RowCall& call, const Score& score) const override {
    const float tanh = score.value / call.softcap();
    return 1 - tanh * tanh;
  }
};

const Registrations<Mutant> registered{
    {.name = "dbias_of_last_sequence",
     .summary =
         "a bias that repeats over the batch gets the gradient of the last sequence, which overwrites those before it",
     .source = "jax-ml/jax #30593, HKUSTDial/flash-sparse-attention PR #193",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=2x1x8x8x8 score=bias:head pass=forward+backward",
     .batch = "fifth",
     .kernel = [] { return row_kernel<DbiasOfLastSequence>("dbias_of_last_sequence"); },
     .twin = right_split_kv},
    {.name = "delta_only_with_dquery",
     .summary = "the pass that makes delta belongs to dQ and does not run where nobody asks for dQ: the other "
                "gradients take it for 0",
     .source = "pytorch/pytorch PR #188302, pytorch/pytorch #148476",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x8x8x8 pass=forward+backward wants=out+log_sum_exp+dkey+dvalue",
     .batch = "fifth",
     .kernel = [] { return row_kernel<DeltaOnlyWithDquery>("delta_only_with_dquery"); },
     .twin = right_row_panel},
    {.name = "dout_read_with_strides_of_out",
     .summary = "the backward pass reads dO by the strides of O",
     .source = "Dao-AILab/flash-attention #355, pytorch/pytorch #133671",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x8x8x8 layout=bhsd+dout/transposed pass=forward+backward",
     .batch = "fifth",
     .kernel = [] { return row_kernel<DoutReadWithStridesOfOut>("dout_read_with_strides_of_out"); },
     .twin = right_row_panel},
    {.name = "dropout_key_local_to_strip",
     .summary = "the backward pass draws dropout by the number of a key within its strip, the forward pass by its own",
     .source = "Dao-AILab/flash-attention PR #2439",
     .property = "dropout_pairs",
     .reason = "dropout-pairs",
     .problem = "shape=1x1x2x270x4 dropout=0.3 pass=forward+backward",
     .batch = "fifth",
     .kernel = [] { return row_kernel<DropoutKeyLocalToStrip>("dropout_key_local_to_strip"); },
     .twin = right_row_panel},
    {.name = "heads_race_on_dk",
     .summary = "query heads on several threads read, add and write dK and dV of their kv head without a lock",
     .source = "tile-ai/TileOPs PR #1633, Dao-AILab/flash-attention PR #2158",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x4/1x8x8x8 pass=forward+backward",
     .batch = "fifth",
     .kernel = [] { return row_kernel<HeadsRaceOnDk>("heads_race_on_dk"); },
     .twin = right_split_kv},
    {.name = "ragged_delta_overlaps",
     .summary = "in a ragged batch delta of a sequence begins at its first row rounded down to a block, where delta of "
                "the one before may not have ended",
     .source = "Dao-AILab/flash-attention PR #2150",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=2x1x20x20x8 lengths=20+10 query_lengths=20+10 layout=ragged pass=forward+backward",
     .batch = "fifth",
     .kernel = [] { return row_kernel<RaggedDeltaOverlaps>("ragged_delta_overlaps"); },
     .twin = right_row_panel},
    {.name = "skipped_dq_partials_unwritten",
     .summary = "the partial sum of dQ of a block of rows that skips a strip of keys is not written, and added up all "
                "the same",
     .source = "NVIDIA/cudnn-frontend PR #905, Dao-AILab/flash-attention PR #2896",
     .property = "gradient_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x4x270x4 mask=window:4:0 pass=forward+backward",
     .batch = "fifth",
     .kernel = [] { return row_kernel<SkippedDqPartialsUnwritten>("skipped_dq_partials_unwritten"); },
     .twin = right_row_panel},
    {.name = "softcap_slope_from_biased_score",
     .summary =
         "the backward pass takes the tanh of softcap from the final score, to which ALiBi or a bias has been added",
     .source = "Dao-AILab/flash-attention PR #1033",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x8x8x8 score=softcap:3&alibi pass=forward+backward",
     .batch = "fifth",
     .kernel = [] { return row_kernel<SoftcapSlopeFromBiasedScore>("softcap_slope_from_biased_score"); },
     .twin = right_row_panel},
};

}  // namespace
}  // namespace attestone::inline mutants::row_panels
