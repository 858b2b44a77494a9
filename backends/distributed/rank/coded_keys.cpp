// SPDX-License-Identifier: Apache-2.0
// Row by row to codes, and back.
#include "backends/distributed/rank/coded_keys.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attestone::inline backends {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// visit(head, row) of every row.
template <class Visit>
void for_each_row(const Buffer& rows, const Visit& visit) {
  for (index head = 0; head < rows.heads(); ++head)
    for (index row = 0; row < rows.rows(); ++row) visit(head, row);
}

/// max |x|; NaN if any x is not finite.
double largest(const View& rows, index head, index row, index channels) {
  double most = 0;
  for (index c = 0; c < channels; ++c) {
    const double x = rows.value(0, head, row, c);
    if (!std::isfinite(x)) return not_a_number;
    most = std::max(most, std::abs(x));
  }
  return most;
}

/// The number that is rounded to a code.
double coded(double x, double scale) {
  if (std::isnan(scale)) return std::isinf(x) ? std::copysign(1.0, x) : 0;
  return scale == 0 ? 0 : x / scale;
}

double decoded(double code, double scale) {
  if (std::isnan(scale)) return code == 0 ? not_a_number : std::copysign(infinity, code);
  return code * scale;
}

void encode_rows(const Buffer& rows, const Buffer& codes, const Buffer& scales) {
  const DType& format = codes.dtype();
  const View from = rows.all(), to = codes.all(), scale_of = scales.all();
  for_each_row(rows, [&](index head, index row) {
    scale_of.set(0, head, row, 0, largest(from, head, row, rows.channels()) / format.largest());
    const double scale = scale_of.value(0, head, row, 0);
    for (index c = 0; c < rows.channels(); ++c) {
      const double x = coded(from.value(0, head, row, c), scale);
      to.set(0, head, row, c, format.round(x, Rounding::nearest_even, Overflow::saturate));
    }
  });
}

void decode_rows(const Buffer& codes, const Buffer& scales, const Buffer& rows) {
  const View from = codes.all(), scale_of = scales.all(), to = rows.all();
  for_each_row(rows, [&](index head, index row) {
    const double scale = scale_of.value(0, head, row, 0);
    for (index c = 0; c < rows.channels(); ++c) to.set(0, head, row, c, decoded(from.value(0, head, row, c), scale));
  });
}

/// For the same numbers in another format.
Buffer room_for(Device& device, const char* name, const DType& format, const Buffer& rows, index channels) {
  return {device, name, format, rows.rows(), rows.heads(), channels};
}

KeyValue codes_of(Device& device, const KeyValue& rows, const DType& format) {
  return {room_for(device, "KV codes", format, rows.key, rows.key.channels()),
          room_for(device, "KV codes", format, rows.value, rows.value.channels())};
}

KeyValue scales_of(Device& device, const KeyValue& rows) {
  return {room_for(device, "KV scales", dtype("f32"), rows.key, 1),
          room_for(device, "KV scales", dtype("f32"), rows.value, 1)};
}

}  // namespace

CodedKeys encode(Device& device, const KeyValue& rows, const DType& format) {
  CodedKeys coded{codes_of(device, rows, format), scales_of(device, rows)};
  encode_rows(rows.key, coded.codes.key, coded.scales.key);
  encode_rows(rows.value, coded.codes.value, coded.scales.value);
  return coded;
}

KeyValue decode(Device& device, const CodedKeys& coded, const DType& key_format, const DType& value_format) {
  const Buffer &key = coded.codes.key, &value = coded.codes.value;
  KeyValue rows(room_for(device, "KV", key_format, key, key.channels()),
                room_for(device, "KV", value_format, value, value.channels()));
  decode_rows(key, coded.scales.key, rows.key);
  decode_rows(value, coded.scales.value, rows.value);
  return rows;
}

/// A scale errs by u |scale| or, below the normal range of f32, by eta; what it is too small for saturates, less than
/// half a step where it is normal. Steps of integers are absolute, others partly relative.
RowCast error_of_coding(const DType& format, const DType& of_rows) {
  const DType& f32 = dtype("f32");
  const double slack = 1 + 4 * f32.unit_roundoff(), stored = 1 + of_rows.unit_roundoff();
  const bool has_one_step = format.smallest_normal() > format.largest();
  const double relative = has_one_step ? 0 : format.unit_roundoff() * slack;
  return {
      .roundoff = (1 + relative) * stored - 1,
      .of_largest = format.underflow() / format.largest() * slack * stored,
      .underflow = (format.largest() + format.underflow()) * f32.underflow() * slack * stored + of_rows.underflow()};
}

}  // namespace attestone::inline backends
