// SPDX-License-Identifier: Apache-2.0
// Reading rows, their mean, and what is left of them.
#include "backends/cpu/quantized/coded_operand.hpp"

#include <algorithm>

#include "backends/cpu/simd/codes.hpp"
#include "reference/require.hpp"

namespace attestone {
namespace {

constexpr const char* memory = "rows to be coded";

/// To f16 or bf16, as a tensor of that format stores it.
float stored(double x, const DType& format) {
  require(format.name == "f16" || format.name == "bf16", "means are those of half formats");
  return format.name == "f16" ? decode_f16(encode_f16(x)) : decode_bf16(encode_bf16(x));
}

}  // namespace

CodedOperand::CodedOperand(Device& device, index rows, index channels, const Coding& coding)
    : coding_(coding),
      channels_(channels),
      rows_(device, rows * channels, memory),
      mean_(device, channels, memory),
      codes_(device, rows, channels, coding.sharing) {}

index CodedOperand::bytes(index rows, index channels, const Coding& coding) {
  return (rows + 1) * channels * static_cast<index>(sizeof(float)) + CodedRows::bytes(rows, channels, coding.sharing);
}

void CodedOperand::centre(const DType& format, index rows) {
  for (index c = 0; c < channels_; ++c) {
    double sum = 0;
    for (index r = 0; r < rows; ++r) sum += double{rows_[r * channels_ + c]};
    mean_[c] = stored(sum / static_cast<double>(rows), format);
    for (index r = 0; r < rows; ++r) {
      float& x = rows_[r * channels_ + c];
      x = stored(double{x - mean_[c]}, format);
    }
  }
}

void CodedOperand::take(const ConstView& view, index batch, index head, index rows) {
  const FloatRows from(view);
  for (index r = 0; r < rows; ++r) from.read(batch, head, r, rows_.data() + r * channels_);
  std::fill_n(mean_.data(), channels_, 0.0f);
  if (coding_.centred && rows > 0) centre(view.dtype(), rows);
  const std::span<float> taken = rows_.span().first(static_cast<std::size_t>(rows * channels_));
  if (coding_.factor)
    for (float& x : taken) x *= *coding_.factor;
  codes_.take(taken, coding_.quantizer);
}

}  // namespace attestone
