// SPDX-License-Identifier: Apache-2.0
// Storage formats as the CPU kernels see them: rows decoded to float, weights rounded to the input format.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "backends/cpu/parts/interval.hpp"
#include "backends/cpu/simd/panel.hpp"
#include "reference/tensor.hpp"

namespace attestone {

/// The names of the formats that the CPU kernels work on.
std::vector<std::string_view> codec_formats();

/// Bytes of the channels of one row.
inline index row_bytes(const ConstView& view) { return view.dtype().bytes(view.extents()[3]); }

/// Decodes rows of one tensor of such a format, whatever its strides.
class FloatRows {
 public:
  explicit FloatRows(const ConstView&);

  /// The channels of row (batch, head, row).
  void read(index batch, index head, index row, float* channels) const;
  /// Some of them, the first one to channels[0].
  void read(index batch, index head, index row, Interval some, float* channels) const;
  /// Whole rows: where they lie, if they are floats at equal distances; else decoded into `buffer` [rows][channels].
  FloatMatrixRows read(index batch, index head, Interval rows, float* buffer) const;

 private:
  using Decode = void (*)(const std::byte* row, index stride, index count, float* channels);
  ConstView view_;
  Decode decode_;
};

/// Rounds `factor` times these rows to the format of the view, once.
void store_float_rows(const View&, index batch, index head, Interval rows, FloatMatrixRows from, double factor);

/// The nearest bf16, ties to even.
inline float rounded_to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t to_even = (bits >> 16) & 1;
  const float rounded = std::bit_cast<float>((bits + 0x7FFF + to_even) & 0xFFFF0000u);
  return x == x ? rounded : x;
}

/// The nearest f16, ties to even, of a weight: 0 <= x <= 1, so that nothing overflows.
inline float weight_rounded_to_f16(float x) {
  constexpr float smallest_normal = 0x1p-14f;
  // Numbers of [1/2, 1) are multiples of 2^-24, the smallest subnormal of f16: adding 1/2 rounds to one of those.
  const float subnormal = (x + 0.5f) - 0.5f;
  constexpr int dropped = 13;  // trailing bits that f32 has and f16 has not
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t to_even = (bits >> dropped) & 1;
  const std::uint32_t kept = ~((std::uint32_t{1} << dropped) - 1);
  const float normal = std::bit_cast<float>((bits + ((1u << (dropped - 1)) - 1) + to_even) & kept);
  const float rounded = x < smallest_normal ? subnormal : normal;
  return x == x ? rounded : x;
}

/// The nearest f16, ties to even; an infinity beyond the largest.
inline float rounded_to_f16(float x) {
  constexpr float first_infinite = 65520, infinity = std::numeric_limits<float>::infinity();
  const float magnitude = std::fabs(x);
  const float rounded = magnitude < first_infinite ? weight_rounded_to_f16(magnitude) : magnitude + infinity;
  return std::copysign(rounded, x);
}

/// Rounds weights to `format` in place: what a kernel does that multiplies P and V in their storage format.
void round_weights(std::span<float> weights, const DType& format);
/// The same for numbers of any size and sign, as dS.
void round_gradients(std::span<float> gradients, const DType& format);

}  // namespace attestone
