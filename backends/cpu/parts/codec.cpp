// SPDX-License-Identifier: Apache-2.0
// Codes decoded without the vocabulary's DType: kernel and judge share no codec.
#include "backends/cpu/parts/codec.hpp"

#include <algorithm>

#include "backends/cpu/simd/code_rows.hpp"

namespace attestone::inline backends {
namespace {

using Code32 = std::uint32_t;
using Code16 = std::uint16_t;

/// Neighbouring codes go through vectors, others one by one.
template <class Code, float (*decode)(Code), void (*decode_neighbours)(const Code*, index, float*)>
void decode_row(const std::byte* row, index stride, index count, float* channels) {
  const auto* codes = reinterpret_cast<const Code*>(row);
  if (stride == 1) return decode_neighbours(codes, count, channels);
  for (index c = 0; c < count; ++c) channels[c] = decode(codes[c * stride]);
}

template <class Code, Code (*encode)(double), void (*encode_neighbours)(const float*, double, index, Code*)>
void encode_row(const float* channels, double factor, index count, std::byte* row, index stride) {
  auto* codes = reinterpret_cast<Code*>(row);
  if (stride == 1) return encode_neighbours(channels, factor, count, codes);
  for (index c = 0; c < count; ++c) codes[c * stride] = encode(factor * double{channels[c]});
}

void keep(std::span<float>) {}

template <void (*round_row)(float*, index)>
void round_each(std::span<float> numbers) {
  round_row(numbers.data(), static_cast<index>(numbers.size()));
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
    {"f32", decode_row<Code32, decode_f32, decode_f32_row>, encode_row<Code32, encode_f32, encode_f32_row>, keep, keep},
    {"f16", decode_row<Code16, decode_f16, decode_f16_row>, encode_row<Code16, encode_f16, encode_f16_row>,
     round_each<round_weights_to_f16>, round_each<round_row_to_f16>},
    {"bf16", decode_row<Code16, decode_bf16, decode_bf16_row>, encode_row<Code16, encode_bf16, encode_bf16_row>,
     round_each<round_row_to_bf16>, round_each<round_row_to_bf16>}};

const Codec& codec_of(const DType& format) {
  const auto found = std::ranges::find(codecs, format.name, &Codec::format);
  require(found != std::end(codecs), "a CPU kernel works only on the formats that it supports");
  return *found;
}

/// Neighbours in a row, at equal distances from row to row.
template <class AnyView>
bool lies_as_floats(const AnyView& view) {
  return view.dtype().name == "f32" && (view.strides()[3] == 1 || view.extents()[3] == 1) && !view.row_map().pages();
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
  const index channels = view_.extents()[3], stride = view_.strides()[2];
  if (lies_as_floats(view_) && rows.count() > 0) {
    const std::byte* first = view_.at(batch, head, rows.first, 0);
    return {reinterpret_cast<const float*>(first), stride};
  }
  const bool one_stretch = view_.strides()[3] == 1 && stride == channels && !view_.row_map().pages();
  if (one_stretch && rows.count() > 0)
    decode_(view_.at(batch, head, rows.first, 0), 1, rows.count() * channels, buffer);
  else
    for (index row = rows.first; row <= rows.last; ++row)
      read(batch, head, row, buffer + (row - rows.first) * channels);
  return {buffer, channels};
}

ComingRows coming_rows(const ConstView& view, index batch, index head, Interval rows) {
  if (!view.exists() || rows.count() == 0 || view.strides()[3] != 1 || view.row_map().pages()) return {};
  const index bytes = view.dtype().bytes(1);
  return {view.at(batch, head, rows.first, 0), rows.count(), view.strides()[2] * bytes, view.extents()[3], bytes};
}

std::optional<WritableFloatRows> floats_in_place(const View& view, index batch, index head, Interval rows) {
  if (!view.exists() || !lies_as_floats(view) || rows.count() == 0) return std::nullopt;
  return WritableFloatRows{reinterpret_cast<float*>(view.at(batch, head, rows.first, 0)), view.strides()[2]};
}

void store_float_rows(const View& view, index batch, index head, Interval rows, FloatMatrixRows from, double factor) {
  if (!view.exists()) return;
  if (const auto to = floats_in_place(view, batch, head, rows); to && factor == 1) {
    const index channels = view.extents()[3];
    if (from.stride == channels && to->stride == channels)
      std::copy_n(from.data, rows.count() * channels, to->data);
    else
      for (index i = 0; i < rows.count(); ++i) std::copy_n(from[i], channels, to->data + i * to->stride);
    return;
  }
  const auto encode = codec_of(view.dtype()).encode;
  for (index row = rows.first; row <= rows.last; ++row)
    encode(from[row - rows.first], factor, view.extents()[3], view.at(batch, head, row, 0), view.strides()[3]);
}

void round_weights(std::span<float> weights, const DType& format) { codec_of(format).round_weights(weights); }

void round_gradients(std::span<float> gradients, const DType& format) { codec_of(format).round_gradients(gradients); }

}  // namespace attestone::inline backends
