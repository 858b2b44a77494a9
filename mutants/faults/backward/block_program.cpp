// SPDX-License-Identifier: Apache-2.0
// A backward pass in three kernels of blocks that goes wrong in strides, in where it starts, and in shared sums.
#include "mutants/hosts/staged_blocks/block_program.hpp"

#include <atomic>
#include <latch>
#include <thread>

#include "mutants/hosts/staged_blocks/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::staged_blocks::block_program {
namespace {

/// Shows in gradients in f16 and bf16.
struct BackwardPrescalesKeysInInputFormat : Policy {
  static float scaled_product(const Call& c, const float* q, const float* k, bool backward) {
    if (!backward || c.in == Format::f32) return Policy::scaled_product(c, q, k, backward);
    float sum = 0.0f;
    for (Int d = 0; d < c.a.dim; ++d) sum += q[d] * rounded(static_cast<float>(k[d] * c.a.scale * kLog2e), c.in);
    return sum / kLog2e;
  }
};

/// Shows where of all gradients only that of the bias is asked for.
struct BiasOnlyGradientReadsUnsavedLse : Policy {
  static float saved_lse(const Call& c, const Sequence& s, Int h, Int i) {
    return c.dquery || c.dkey || c.dvalue ? c.lse_of(s, h, i) : 0.0f;
  }
};

/// Shows in the gradient of a bias that all sequences share.
struct DbiasOfSharedBiasKeepsLastBatch : Policy {
  static bool dbias_starts_over(const Call& c) { return c.dbias && c.dbias.extent[0] == 1; }
};

/// Shows in gradients where dO lies otherwise than O.
struct DeltaReadsDoutWithStridesOfOut : Policy {
  static const Tensor& dout_of_preprocess(const Call& c) { return c.out; }
};

/// Shows in dK and dV under causal with more keys than queries.
struct DkdvStartsAtDiagonalOfEqualLengths : Policy {
  static Int dkdv_first_query(Int first_key, Int off, Int right) {
    return right == 0 ? first_key : Policy::dkdv_first_query(first_key, off, right);
  }
};

/// Shows in dK where it lies otherwise than K.
struct DkeyStoredWithStridesOfKey : Policy {
  static Pointer dkey_pointer(const Call& c, const Sequence& s, Int kv) {
    // Writes behind dK's memory would end the process of its judge.
    if (c.key.last() > c.dkey.last()) return Policy::dkey_pointer(c, s, kv);
    Pointer p = pointer(c.key, s.place, kv, s.first_key);
    p.t = &c.dkey;
    return p;
  }
};

/// Shows in dK and dV with more than one thread and heads that share a kv head.
struct GroupHeadsRaceOnDkdv : Policy {
  template <class Head>
  static void add_heads(const Call& c, Int first, Int end, const Head& add_head, Block& dk, Block& dv) {
    if (c.a.threads <= 1) return Policy::add_heads(c, first, end, add_head, dk, dv);
    std::latch all_read(end - first);  // the worst that can happen, and in every run
    std::vector<std::thread> workers;
    for (Int h = first; h < end; ++h)
      workers.emplace_back([&, h] {
        Block of_dk(dk.rows, dk.cols), of_dv(dv.rows, dv.cols);
        add_head(h, of_dk, of_dv);
        add(dk.x, of_dk.x);
        add(dv.x, of_dv.x);
        all_read.arrive_and_wait();
        store(of_dk.x, dk.x);
        store(of_dv.x, dv.x);
      });
    for (std::thread& worker : workers) worker.join();
  }
  static void add(Floats& shared, Floats& of_head) {
    for (std::size_t n = 0; n < of_head.size(); ++n)
      of_head[n] += std::atomic_ref(shared[n]).load(std::memory_order_relaxed);
  }
  static void store(const Floats& of_head, Floats& shared) {
    for (std::size_t n = 0; n < of_head.size(); ++n)
      std::atomic_ref(shared[n]).store(of_head[n], std::memory_order_relaxed);
  }
};

const Registrations<Mutant> registered{
    {.name = "backward_prescales_keys_in_input_format",
     .summary = "the backward pass multiplies K by scale and log2(e), rounds that to the format of the inputs, and "
                "computes scores from it that log_sum_exp does not know",
     .source = "hao-ai-lab/FastVideo PR #1730",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x8x16x16 scale=1 dtype=bf16 pass=forward+backward",
     .batch = "fifth",
     .kernel = [] { return kernel<BackwardPrescalesKeysInInputFormat>("backward_prescales_keys_in_input_format"); },
     .twin = right_block_program},
    {.name = "bias_only_gradient_reads_unsaved_lse",
     .summary = "log_sum_exp is kept for the backward pass only where Q, K or V have a gradient; where the bias alone "
                "has one, weights are computed from zeros",
     .source = "pytorch/pytorch PR #188302, pytorch/pytorch #148476",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x8x8x8 score=bias:full pass=forward+backward wants=dbias",
     .batch = "fifth",
     .kernel = [] { return kernel<BiasOnlyGradientReadsUnsavedLse>("bias_only_gradient_reads_unsaved_lse"); },
     .twin = right_block_program},
    {.name = "dbias_of_shared_bias_keeps_last_batch",
     .summary =
         "the gradient of a shared bias is stored instead of summed, so that only what the last sequence gives remains",
     .source = "HKUSTDial/flash-sparse-attention PR #190, HKUSTDial/flash-sparse-attention PR #193",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=2x1x8x8x8 score=bias:pair pass=forward+backward",
     .batch = "fifth",
     .kernel = [] { return kernel<DbiasOfSharedBiasKeepsLastBatch>("dbias_of_shared_bias_keeps_last_batch"); },
     .twin = right_block_program},
    {.name = "delta_reads_dout_with_strides_of_out",
     .summary = "the kernel that computes delta finds dO by the strides of O",
     .source = "Dao-AILab/flash-attention #355, flagos-ai/FlagAttention PR #1",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x8x8x8 layout=bhsd+dout/bshd pass=forward+backward",
     .batch = "fifth",
     .kernel = [] { return kernel<DeltaReadsDoutWithStridesOfOut>("delta_reads_dout_with_strides_of_out"); },
     .twin = right_block_program},
    {.name = "dkdv_starts_at_diagonal_of_equal_lengths",
     .summary = "under causal the kernel for dK and dV starts at the query that has the number of the first key, as if "
                "there were as many queries as keys",
     .source = "triton-lang/triton PR #2033, Dao-AILab/flash-attention PR #436",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x16x36x4 mask=causal pass=forward+backward",
     .batch = "fifth",
     .kernel = [] { return kernel<DkdvStartsAtDiagonalOfEqualLengths>("dkdv_starts_at_diagonal_of_equal_lengths"); },
     .twin = right_block_program},
    {.name = "dkey_stored_with_strides_of_key",
     .summary = "the gradient of K is stored by the strides of K",
     .source = "pytorch/pytorch #146377, pytorch/pytorch PR #178499, Dao-AILab/flash-attention PR #818",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x8x8x8 layout=bhsd+key/bshd+dkey/bhsd pass=forward+backward",
     .batch = "fifth",
     .kernel = [] { return kernel<DkeyStoredWithStridesOfKey>("dkey_stored_with_strides_of_key"); },
     .twin = right_block_program},
    {.name = "group_heads_race_on_dkdv",
     .summary =
         "with several threads the query heads of a group add to a block of dK and dV at once, and updates are lost",
     .source = "Dao-AILab/flash-attention PR #2033, Dao-AILab/flash-attention #359, Dao-AILab/flash-attention PR #2481",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x4/1x8x8x8 pass=forward+backward",
     .batch = "fifth",
     .kernel = [] { return kernel<GroupHeadsRaceOnDkdv>("group_heads_race_on_dkdv"); },
     .twin = right_block_program},
};

}  // namespace
}  // namespace attestone::inline mutants::staged_blocks::block_program
