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

/// x, shortened to the bits of a float: the last of them is set if anything was dropped, so that x and what comes of it
/// round to the same number of fewer bits (S. Boldo and G. Melquiond, "When double rounding is odd", IMACS 2005).
float rounded_to_odd(double x) {
  constexpr std::uint64_t dropped = (std::uint64_t{1} << 29) - 1, last = dropped + 1;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return static_cast<float>(std::bit_cast<double>((bits & ~dropped) | ((bits & dropped) != 0 ? last : 0)));
}

std::uint32_t encode_f32(double x) { return std::bit_cast<std::uint32_t>(static_cast<float>(x)); }

std::uint16_t encode_bf16(double x) {
  // What is subnormal would be rounded on the way: it is a whole number of the smallest ones.
  constexpr double smallest_normal = 0x1p-126, smallest = 0x1p-133;
  if (std::fabs(x) < smallest_normal) {
    const auto magnitude = static_cast<std::uint16_t>(std::nearbyint(std::fabs(x) / smallest));
    return static_cast<std::uint16_t>(std::signbit(x) ? 0x8000u | magnitude : magnitude);
  }
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(rounded_to_bf16(rounded_to_odd(x))) >> 16);
}

std::uint16_t encode_f16(double x) {
  const float rounded = rounded_to_f16(rounded_to_odd(x));
  const std::uint32_t sign = std::bit_cast<std::uint32_t>(rounded) >> 16 & 0x8000u;
  if (!std::isfinite(rounded)) return static_cast<std::uint16_t>(sign | (rounded == rounded ? 0x7C00u : 0x7E00u));
  // As in decode_f16: the product moves the exponent, and is exact.
  const auto magnitude = std::bit_cast<std::uint32_t>(std::fabs(rounded) * 0x1p-112f);
  return static_cast<std::uint16_t>(sign | magnitude >> 13);
}

template <class Code, Code (*encode)(double)>
void encode_row(const float* channels, double factor, index count, std::byte* row, index stride) {
  for (index c = 0; c < count; ++c) {
    const Code code = encode(factor * double{channels[c]});
    std::memcpy(row + c * stride * static_cast<index>(sizeof(Code)), &code, sizeof(Code));
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
  void (*encode)(const float* channels, double factor, index count, std::byte* row, index stride);
  void (*round_weights)(std::span<float>);
  void (*round_gradients)(std::span<float>);
};

constexpr Codec codecs[] = {
    {"f32", decode_row<std::uint32_t, decode_f32>, encode_row<std::uint32_t, encode_f32>, keep, keep},
    {"f16", decode_row<std::uint16_t, decode_f16>, encode_row<std::uint16_t, encode_f16>,
     round_each<weight_rounded_to_f16>, round_each<rounded_to_f16>},
    {"bf16", decode_row<std::uint16_t, decode_bf16>, encode_row<std::uint16_t, encode_bf16>,
     round_each<rounded_to_bf16>, round_each<rounded_to_bf16>}};

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

FloatMatrixRows FloatRows::read(index batch, index head, Interval rows, float* buffer) const {
  const bool floats = view_.dtype().name == "f32" && view_.strides()[3] == 1 && !view_.row_map().pages();
  const index channels = view_.extents()[3], stride = view_.strides()[2];
  if (floats && rows.count() > 0) {
    const std::byte* first = view_.at(batch, head, rows.first, 0);
    return {reinterpret_cast<const float*>(first), stride};
  }
  for (index row = rows.first; row <= rows.last; ++row) read(batch, head, row, buffer + (row - rows.first) * channels);
  return {buffer, channels};
}

void store_float_rows(const View& view, index batch, index head, Interval rows, FloatMatrixRows from, double factor) {
  const auto encode = codec_of(view.dtype()).encode;
  for (index row = rows.first; row <= rows.last; ++row)
    encode(from[row - rows.first], factor, view.extents()[3], view.at(batch, head, row, 0), view.strides()[3]);
}

void round_weights(std::span<float> weights, const DType& format) { codec_of(format).round_weights(weights); }

void round_gradients(std::span<float> gradients, const DType& format) { codec_of(format).round_gradients(gradients); }

}  // namespace attestone
