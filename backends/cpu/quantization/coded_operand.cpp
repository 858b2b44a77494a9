// SPDX-License-Identifier: Apache-2.0
// Reading rows, their mean, and what is left of them.
#include "backends/cpu/quantization/coded_operand.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/cpu/simd/codes.hpp"
#include "reference/require.hpp"

namespace attestone::inline backends {
namespace {

constexpr const char* memory = "rows to be coded";

float stored_in_f16(double x) { return decode_f16(encode_f16(x)); }
float stored_in_bf16(double x) { return decode_bf16(encode_bf16(x)); }
float stored_in_f32(double x) { return static_cast<float>(x); }

/// The function that stores a number as a tensor of that format does.
auto* storing(const DType& format) {
  require(format.name == "f16" || format.name == "bf16", "means are those of half formats");
  return format.name == "f16" ? stored_in_f16 : stored_in_bf16;
}

index padded(index rows, const Coding& coding) { return tiles_of(rows, coding.mean_padding) * coding.mean_padding; }

index rows_of_a_mean(index rows, const Coding& coding) {
  return coding.mean_rows > 0 ? coding.mean_rows : std::max<index>(rows, 1);
}

}  // namespace

Coding coding_of(const OperandCodes& codes, std::optional<float> factor) {
  return {quantizer(codes.rule),
          {codes.sharing, codes.count},
          codes.centring,
          codes.mean_rows,
          codes.mean_of_batch,
          codes.mean_padding,
          static_cast<float>(codes.fixed_largest),
          codes.rotated,
          factor};
}

void rotate(std::span<float> row) {
  for (std::size_t c = 0; c < row.size(); ++c)
    if (is_negated(static_cast<index>(c))) row[c] = -row[c];
  for (std::size_t half = 1; half < row.size(); half *= 2)
    for (std::size_t first = 0; first < row.size(); first += 2 * half)
      for (std::size_t c = first; c < first + half; ++c) {
        const float sum = row[c] + row[c + half], difference = row[c] - row[c + half];
        row[c] = sum, row[c + half] = difference;
      }
  const auto root = static_cast<float>(1 / std::sqrt(static_cast<double>(row.size())));
  for (float& x : row) x *= root;
}

CodedOperand::CodedOperand(Device& device, index rows, index channels, const Coding& coding)
    : coding_(coding),
      channels_(channels),
      mean_rows_(rows_of_a_mean(padded(rows, coding), coding)),
      rows_(device, padded(rows, coding) * channels, memory),
      mean_(device, tiles_of(padded(rows, coding), mean_rows_) * channels, memory),
      codes_(device, padded(rows, coding), channels, coding.sharing) {}

index CodedOperand::bytes(index rows, index channels, const Coding& coding) {
  const index all = padded(rows, coding);
  return (all + tiles_of(all, rows_of_a_mean(all, coding))) * channels * static_cast<index>(sizeof(float)) +
         CodedRows::bytes(all, channels, coding.sharing);
}

void CodedOperand::find_mean(const DType& format, index first, index count) {
  float* mean = mean_.data() + first / mean_rows_ * channels_;
  const auto stored = coding_.centring == Centring::whole_in_f32 ? stored_in_f32 : storing(format);
  for (index c = 0; c < channels_; ++c) {
    double sum = 0;
    for (index r = first; r < first + count; ++r) sum += double{rows_[r * channels_ + c]};
    mean[c] = stored(sum / static_cast<double>(count));
  }
}

void CodedOperand::subtract_mean(const DType& format, index first, index count) {
  const float* mean = mean_.data() + first / mean_rows_ * channels_;
  const auto stored = storing(format);
  for (index r = first; r < first + count; ++r)
    for (index c = 0; c < channels_; ++c) {
      float& x = rows_[r * channels_ + c];
      x -= mean[c];
      if (coding_.centring == Centring::rounded) x = stored(double{x});
    }
}

void CodedOperand::average(const ConstView& view, index head, const std::function<index(index)>& rows) {
  std::vector<double> sums(static_cast<std::size_t>(channels_));
  index count = 0;
  const FloatRows from(view);
  for (index batch = 0; batch < view.extents()[0]; ++batch) {
    count += rows(batch);
    for (index r = 0; r < rows(batch); ++r) {
      from.read(batch, head, r, rows_.data());
      for (index c = 0; c < channels_; ++c) sums[static_cast<std::size_t>(c)] += double{rows_[c]};
    }
  }
  const auto stored = storing(view.dtype());
  for (index c = 0; c < channels_ && count > 0; ++c)
    mean_[c] = stored(sums[static_cast<std::size_t>(c)] / static_cast<double>(count));
}

void CodedOperand::take(const ConstView& view, index batch, index head, index rows) {
  const FloatRows from(view);
  for (index r = 0; r < rows; ++r) from.read(batch, head, r, rows_.data() + r * channels_);
  const index all = padded(rows, coding_);
  const std::span<float> taken = rows_.span().first(static_cast<std::size_t>(all * channels_));
  std::ranges::fill(taken.subspan(static_cast<std::size_t>(rows * channels_)), 0.0f);
  if (coding_.centring == Centring::none) std::ranges::fill(mean_.span(), 0.0f);
  for (index first = 0; coding_.centring != Centring::none && first < all; first += mean_rows_) {
    const index count = std::min(mean_rows_, all - first);
    if (!coding_.mean_of_batch) find_mean(view.dtype(), first, count);
    subtract_mean(view.dtype(), first, count);
  }
  if (coding_.rotated)
    for (index r = 0; r < all; ++r)
      rotate(taken.subspan(static_cast<std::size_t>(r * channels_), static_cast<std::size_t>(channels_)));
  if (coding_.factor)
    for (float& x : taken) x *= *coding_.factor;
  codes_.take(taken, coding_.quantizer, coding_.fixed_largest);
}

}  // namespace attestone::inline backends
