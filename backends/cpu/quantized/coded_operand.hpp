// SPDX-License-Identifier: Apache-2.0
// Q, K or V of one head on its way to codes: decoded, less the mean, scaled.
#pragma once

#include <optional>

#include "backends/cpu/parts/codec.hpp"
#include "backends/cpu/quantized/shared_scales.hpp"
#include "reference/numerics/operand_codes.hpp"

namespace attestone {

/// How an operand becomes codes.
struct Coding {
  const Quantizer& quantizer;
  Sharing sharing;
  Centring centring = Centring::none;
  std::optional<float> factor = {};  ///< each number is multiplied by it before
};

/// What a kernel does that declares these codes.
Coding coding_of(const OperandCodes&, std::optional<float> factor = {});

/// The operand of one head.
class CodedOperand {
 public:
  CodedOperand(Device&, index rows, index channels, const Coding&);
  /// 4 * (rows + 1) * channels, and those of CodedRows.
  static index bytes(index rows, index channels, const Coding&);

  /// Codes so many rows, of f16 or bf16.
  void take(const ConstView&, index batch, index head, index rows);

  const float* numbers(index row) const { return codes_.numbers() + row * channels_; }
  float scale(index row, index channel) const { return codes_.scale(row, channel); }
  /// The mean that was subtracted, of each channel; 0 where none was.
  const float* mean() const { return mean_.data(); }

 private:
  void centre(const DType&, index rows);

  Coding coding_;
  index channels_;
  Allocation<float> rows_, mean_;
  CodedRows codes_;
};

}  // namespace attestone
