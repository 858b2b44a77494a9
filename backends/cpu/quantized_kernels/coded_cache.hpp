// SPDX-License-Identifier: Apache-2.0
// Attention to K and V that are kept as codes: a quantized KV cache.
#pragma once

#include "backends/cpu/quantization/coded_operand.hpp"
#include "backends/kernel.hpp"
#include "backends/setting.hpp"

namespace attestone::inline backends {

/// K and V are int8 or e4m3 codes with a scale for each token, or for each channel; Q is as it is given. Codes become
/// floats before they are multiplied, and everything is f32.
class CodedCache final : public Kernel {
 public:
  explicit CodedCache(const Settings&);

  std::string name() const override;
  /// f16 or bf16, full masks or causal ones, padding behind the sequences; no bias, sink, softcap or dropout.
  Support supports(const Problem&) const override;
  Numerics numerics(const Problem&) const override;
  /// A number that is not finite spreads to all that share its scale.
  Conventions conventions() const override { return {.hidden_nonfinite = HiddenNonfinite::propagates}; }
  /// CodedOperand::bytes of K and of V, and 4 * (keys * (dim + value_dim + 1) + dim + value_dim).
  index forward_bytes(const Problem&) const override;
  void forward(const Problem&, const Arguments&, Device&) const override;

 private:
  Settings settings_;
  OperandCodes key_codes_, value_codes_;
};

}  // namespace attestone::inline backends
