// SPDX-License-Identifier: Apache-2.0
// Q or K of one head on its way to codes: decoded, less the mean, scaled.
#pragma once

#include <optional>

#include "backends/cpu/parts/codec.hpp"
#include "backends/cpu/quantized/shared_scales.hpp"

namespace attestone {

/// How an operand becomes codes.
struct Coding {
  const Quantizer& quantizer;
  Sharing sharing;
  bool centred = false;  ///< the mean over the rows is subtracted, both rounded to the format of the operand
  std::optional<float> factor = {};  ///< each number is multiplied by it before
};

/// The operand of one head. Rows that were not taken are not there.
class CodedOperand {
 public:
  CodedOperand(Device&, index rows, index channels, const Coding&);
  /// 4 * (rows + 1) * channels, and those of CodedRows.
  static index bytes(index rows, index channels, const Coding&);

  /// Codes so many rows.
  void take(const ConstView&, index batch, index head, index rows);
  const CodedRows& codes() const { return codes_; }
  const float* numbers(index row) const { return codes_.numbers() + row * channels_; }
  /// Of what has a scale for some rows, all channels alike.
  float scale(index row) const { return codes_.scale(row, 0); }
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
