// SPDX-License-Identifier: Apache-2.0
// SageAttention3: everything in four bits.
#pragma once

#include "backends/cpu/quantized_kernels/sage3_head.hpp"
#include "backends/kernel.hpp"
#include "backends/setting.hpp"

namespace attestone::inline backends {

/// J. Zhang et al., "SageAttention3" (arXiv 2505.11594), as sageattention3_blackwell of release 2.2.0 computes it:
///
///     q, k, v = nvfp4(Q - mean Q), nvfp4(K - mean K), nvfp4(V)     sixteen numbers share a scale in e4m3
///     S = (mean Q) (K - mean K) + q k                              by Blackwell's tensor cores
///     P = 2688 exp2(S - m), s = max P of sixteen keys / 6
///     O = alpha O + e2m1(P / s) e4m3(s) v                          tiles of 128 keys, from the last to the first
///
/// Exponentials and reciprocals are correct to an ulp, where a GPU's are to two; the mean of Q is correctly rounded,
/// where Triton adds numbers of f16 up in f16. There is no log_sum_exp.
class Sage3Attention final : public Kernel {
 public:
  /// With the settings of the catalogue's entry, which say what `algorithm` does.
  Sage3Attention(const Settings& settings, const Sage3& algorithm) : settings_(settings), algorithm_(algorithm) {}

  std::string name() const override;
  Support supports(const Problem&) const override;  ///< taken_row_by_row
  Numerics numerics(const Problem&) const override;
  /// A number that is not finite spreads to all that share its scale, or the mean.
  Conventions conventions() const override {
    return {.outputs = AnsweredTensors::out, .hidden_nonfinite = HiddenNonfinite::propagates};
  }
  /// Sage3Head::bytes: one head at a time.
  index forward_bytes(const Problem&) const override;
  void forward(const Problem&, const Arguments&, Device&) const override;

 private:
  Settings settings_;
  Sage3 algorithm_;
};

}  // namespace attestone::inline backends
