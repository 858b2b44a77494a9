// SPDX-License-Identifier: Apache-2.0
// Codes decoded without the vocabulary's DType: kernel and judge share no codec.
#include "backends/cpu/parts/codec.hpp"

#include <algorithm>
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

void keep(std::span<float>) {}

template <float (*rounded)(float)>
void round_each(std::span<float> numbers) {
  for (float& number : numbers) number = rounded(number);
}

/// A format that the CPU kernels work on.
struct Codec {
  std::string_view format;
  void (*decode)(const std::byte* row, index stride, index count, float* channels);
  void (*round_weights)(std::span<float>);
  void (*round_gradients)(std::span<float>);
};

constexpr Codec codecs[] = {
    {"f32", decode_row<std::uint32_t, decode_f32>, keep, keep},
    {"f16", decode_row<std::uint16_t, decode_f16>, round_each<weight_rounded_to_f16>, round_each<rounded_to_f16>},
    {"bf16", decode_row<std::uint16_t, decode_bf16>, round_each<rounded_to_bf16>, round_each<rounded_to_bf16>}};

const Codec& codec_of(const DType& format) {
  const auto found = std::ranges::find(codecs, format.name, &Codec::format);
  require(found != std::end(codecs), "a CPU kernel works only on the formats that it supports");
  return *found;
}

}  // namespace

std::vector<std::string_view> codec_formats() {
  std::vector<std::string_view> all;
  for (const Codec& codec : codecs) all.push_back(codec.format);
  return all;
}

FloatRows::FloatRows(const ConstView& view) : view_(view), decode_(codec_of(view.dtype()).decode) {}

void FloatRows::read(index batch, index head, index row, float* channels) const {
  decode_(view_.at(batch, head, row, 0), view_.strides()[3], view_.extents()[3], channels);
}

void FloatRows::read(index batch, index head, index row, Interval some, float* channels) const {
  decode_(view_.at(batch, head, row, some.first), view_.strides()[3], some.count(), channels);
}

void round_weights(std::span<float> weights, const DType& format) { codec_of(format).round_weights(weights); }

void round_gradients(std::span<float> gradients, const DType& format) { codec_of(format).round_gradients(gradients); }

}  // namespace attestone
