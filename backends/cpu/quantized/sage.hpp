// SPDX-License-Identifier: Apache-2.0
// SageAttention: scores from integers, weights and values in half precision.
#pragma once

#include "backends/kernel.hpp"

namespace attestone {

/// J. Zhang et al., "SageAttention" (arXiv 2410.02367): Q and K less its mean become int8 codes, whose products are
/// exact; P and V are f16. As SageAttention 2.2 computes it in Triton on sm86: sageattention/core.py,
/// sageattn_qk_int8_pv_fp16_triton; triton/quant_per_block.py; triton/attn_qk_int8_per_block{,_causal}.py.
///
///     q = int8(Q scale log2 e)    for each block of 128 queries
///     k = int8(K - mean K)        for each block of 64 keys
///     S = (q . k) scale_q scale_k in powers of 2
///     P = exp2(S - m), O = sum alpha O + f16(f16(P) f16(V))   for each tile of 64 keys
///
/// A tile's sum of P V is that of Ampere's tensor cores with f16 accumulators, to the last bit; the exponential is
/// correct to an ulp, where a GPU's is to two. Keys behind the last, which Triton's kernel hides by -10^6, have no
/// weight here, whatever the scores.
class SageTriton final : public Kernel {
 public:
  std::string name() const override;
  /// f16 or bf16 throughout, full masks or causal ones of as many queries as keys; no bias, sink, softcap, dropout or
  /// padding; dims up to 128, value_dim like dim.
  Support supports(const Problem&) const override;
  Numerics numerics(const Problem&) const override;
  void forward(const Problem&, const Arguments&, Device&) const override;
  /// For one head: CodedOperand::bytes of queries and keys, UnitValues::bytes, and 4 * (dim * (keys + 3) + 192) beside
  /// them.
  index forward_bytes(const Problem&) const override;
};

}  // namespace attestone
