// SPDX-License-Identifier: Apache-2.0
// FlashAttention-4 in 16 bits, as Blackwell computes it.
#pragma once

#include "backends/cpu/flash4/flash4_head.hpp"
#include "backends/kernel.hpp"

namespace attestone::inline backends {

/// FlashAttention-4's forward pass for sm100 (flash_attn/cute, commit 0251105) in f16 and bf16:
///
///     S = Q K                           by the tensor core
///     m = max(m, max S)                 only if that is more than 8 powers of 2 higher, so P reaches 2^8
///     P = exp2(S c - m c)               c = scale log2 e; some of them by a polynomial of degree 3
///     l = alpha l + sum P, O = alpha O + cast(P) V      tiles of 128 keys, from the last to the first
///
/// All other exponentials, logarithms and reciprocals are correct to an ulp, where a GPU's are to two. NaN stays NaN in
/// the polynomial and in log_sum_exp, too.
class Flash4 final : public Kernel {
 public:
  explicit Flash4(Flash4AsPublished as_published = {}) : as_published_(as_published) {}

  std::string name() const override { return "flash4"; }
  Support supports(const Problem&) const override;  ///< taken_row_by_row
  Numerics numerics(const Problem&) const override;
  /// Flash4Head::bytes: one head at a time.
  index forward_bytes(const Problem&) const override;
  void forward(const Problem&, const Arguments&, Device&) const override;

 private:
  Flash4AsPublished as_published_;
};

}  // namespace attestone::inline backends
