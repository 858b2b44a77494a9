// SPDX-License-Identifier: Apache-2.0
// The bits of f32, f16 and bf16, decoded without the vocabulary's DType: kernel and judge share no codec.
#include "backends/cpu/parts/codec.hpp"

#include <cstring>

namespace attestone {
namespace {

float decode_f32(std::uint32_t code) { return std::bit_cast<float>(code); }

float decode_bf16(std::uint16_t code) { return std::bit_cast<float>(std::uint32_t{code} << 16); }

float decode_f16(std::uint16_t code) {
  const std::uint32_t sign = (code & 0x8000u) << 16;
  const std::uint32_t magnitude = (code & 0x7FFFu) << 13;  // exponent and significand where f32 has them
  if (magnitude >= 0x7C00u << 13) return std::bit_cast<float>(sign | 0x7F800000u | magnitude);  // infinity, NaN
  // The exponent is biased by 15, not 127; the product repairs that, for subnormals as well, and is exact.
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f));
}

template <class Code, float (*decode)(Code)>
void decode_row(const std::byte* row, index stride, index count, float* channels) {
  const index step = stride * static_cast<index>(sizeof(Code));
  for (index c = 0; c < count; ++c) {
    Code code;
    std::memcpy(&code, row + c * step, sizeof(Code));
    channels[c] = decode(code);
  }
}

}  // namespace

FloatRows::FloatRows(const ConstView& view) : view_(view), decode_(nullptr) {
  if (view.dtype().name == "f32") decode_ = decode_row<std::uint32_t, decode_f32>;
  if (view.dtype().name == "f16") decode_ = decode_row<std::uint16_t, decode_f16>;
  if (view.dtype().name == "bf16") decode_ = decode_row<std::uint16_t, decode_bf16>;
  require(decode_, "a CPU kernel reads only the formats that it supports");
}

void FloatRows::read(index batch, index head, index row, float* channels) const {
  decode_(view_.at(batch, head, row, 0), view_.strides()[3], view_.extents()[3], channels);
}

void FloatRows::read(index batch, index head, index row, Interval some, float* channels) const {
  decode_(view_.at(batch, head, row, some.first), view_.strides()[3], some.count(), channels);
}

void round_weights(std::span<float> weights, const DType& format) {
  if (format.name == "bf16")
    for (float& weight : weights) weight = rounded_to_bf16(weight);
  if (format.name == "f16")
    for (float& weight : weights) weight = weight_rounded_to_f16(weight);
}

void round_gradients(std::span<float> gradients, const DType& format) {
  if (format.name == "bf16")
    for (float& gradient : gradients) gradient = rounded_to_bf16(gradient);
  if (format.name == "f16")
    for (float& gradient : gradients) gradient = rounded_to_f16(gradient);
}

}  // namespace attestone
