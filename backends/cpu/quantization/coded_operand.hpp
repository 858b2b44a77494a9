// SPDX-License-Identifier: Apache-2.0
// Q, K or V of one head on its way to codes: decoded, less the mean, scaled.
#pragma once

#include <functional>
#include <optional>

#include "backends/cpu/parts/codec.hpp"
#include "backends/cpu/quantization/shared_scales.hpp"
#include "reference/numerics/operand_codes.hpp"

namespace attestone::inline backends {

/// How an operand becomes codes.
struct Coding {
  const Quantizer& quantizer;
  Sharing sharing;
  Centring centring = Centring::none;
  index mean_rows = 0;               ///< so many rows lose the mean of theirs; 0: all that of all
  bool mean_of_batch = false;        ///< all lose that of all sequences
  index mean_padding = 1;            ///< rows of zeros are appended up to a multiple of so many
  float fixed_largest = 0;           ///< makes the scale; 0: the largest number of a group does
  bool rotated = false;              ///< rows go through rotate()
  std::optional<float> factor = {};  ///< each number is multiplied by it before
};

/// The coding of a kernel that declares these codes.
Coding coding_of(const OperandCodes&, std::optional<float> factor = {});

/// A row times random signs and the Walsh-Hadamard matrix over the root of its length, which is a power of two.
void rotate(std::span<float> row);

/// The operand of one head.
class CodedOperand {
 public:
  CodedOperand(Device&, index rows, index channels, const Coding&);
  /// 4 * (rows + means) * channels, and those of CodedRows; rows as padded.
  static index bytes(index rows, index channels, const Coding&);

  /// Finds the mean of the first rows of each sequence, where the next ones that are taken lose that of all.
  void average(const ConstView&, index head, const std::function<index(index batch)>& rows);
  /// Codes so many rows, of f16 or bf16.
  void take(const ConstView&, index batch, index head, index rows);

  const float* numbers(index row) const { return codes_.numbers() + row * channels_; }
  float scale(index row, index channel) const { return codes_.scale(row, channel); }
  /// The numbers of a row that became codes.
  const float* before(index row) const { return rows_.data() + row * channels_; }
  /// The mean that the row lost first, in each channel; 0 where nothing was subtracted.
  const float* mean(index row) const { return mean_.data() + row / mean_rows_ * channels_; }

 private:
  void find_mean(const DType&, index first, index count);
  void subtract_mean(const DType&, index first, index count);

  Coding coding_;
  index channels_, mean_rows_;
  Allocation<float> rows_, mean_;
  CodedRows codes_;
};

}  // namespace attestone::inline backends
