// SPDX-License-Identifier: Apache-2.0
// Tables of decoded codes, built once per format, and the loops that use them.
#include "reference/tensor/row_reader.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <string>

#include "reference/tensor/scales.hpp"

namespace attestone {
namespace {

constexpr int most_bits_of_a_table = 16;

std::span<const double> decoding_table(const DType& dtype) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<double>, std::less<>> tables;
  const std::lock_guard lock(mutex);
  std::vector<double>& table = tables[std::string(dtype.name)];
  if (table.empty()) {
    table.resize(std::size_t{1} << dtype.storage_bits());
    for (std::size_t code = 0; code < table.size(); ++code) table[code] = dtype.decode(code);
  }
  return table;
}

/// True if the processor's own numbers of this type have the format's codes.
template <class Number>
bool is_hardware(const DType& dtype) {
  using Limits = std::numeric_limits<Number>;
  return Limits::is_iec559 && dtype.storage_bits() == 8 * int{sizeof(Number)} && dtype.has_infinity() &&
         dtype.precision() == Limits::digits;
}

template <class Stored, class Decode>
void read_strided(const std::byte* from, index stride, std::span<double> values, Decode decode) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, from + static_cast<index>(i) * stride, sizeof stored);
    values[i] = decode(stored);
  }
}

template <class Stored, class Decode>
void read_row(const std::byte* from, index stride, std::span<double> values, Decode decode) {
  if (stride == sizeof(Stored)) return read_strided<Stored>(from, sizeof(Stored), values, decode);  // vectorised
  read_strided<Stored>(from, stride, values, decode);
}

}  // namespace

RowReader::RowReader(const ConstView& view) : view_(view) {
  if (view.dtype().storage_bits() <= most_bits_of_a_table) table_ = decoding_table(view.dtype());
}

void RowReader::read(index batch, index head, index row, std::span<double> values) const {
  if (row >= view_.rows(batch)) {
    std::ranges::fill(values, 0.0);
    return;
  }
  if (values.empty()) return;
  decode(batch, head, row, values);
  if (view_.scales()) multiply(batch, head, row, values);
}

void RowReader::decode(index batch, index head, index row, std::span<double> values) const {
  const DType& dtype = view_.dtype();
  const int bits = dtype.storage_bits();
  if (bits % 8 == 0) {
    const std::byte* from = view_.at(batch, head, row, 0);
    const index stride = view_.strides()[3] * (bits / 8);
    if (bits == 8) return read_row<std::uint8_t>(from, stride, values, [&](std::uint8_t code) { return table_[code]; });
    if (bits == 16)
      return read_row<std::uint16_t>(from, stride, values, [&](std::uint16_t code) { return table_[code]; });
    if (is_hardware<float>(dtype)) return read_row<float>(from, stride, values, [](float x) { return double{x}; });
    if (is_hardware<double>(dtype)) return read_row<double>(from, stride, values, [](double x) { return x; });
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t code = view_.code(batch, head, row, static_cast<index>(i));
    values[i] = table_.empty() ? dtype.decode(code) : table_[code];
  }
}

void RowReader::multiply(index batch, index head, index row, std::span<double> values) const {
  const auto width = static_cast<std::size_t>(view_.scales()->block[3]);
  for (std::size_t first = 0; first < values.size(); first += width) {
    const double scale = view_.scale(batch, head, row, static_cast<index>(first));
    for (double& value : values.subspan(first, std::min(width, values.size() - first))) value *= scale;
  }
}

std::vector<double> packed_values(const ConstView& view) {
  const auto& [batches, heads, rows, channels] = view.extents();
  const RowReader reader(view);
  std::vector<double> values(static_cast<std::size_t>(element_count(view.extents())));
  std::span<double> rest(values);
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r) {
        reader.read(b, h, r, rest.first(static_cast<std::size_t>(channels)));
        rest = rest.subspan(static_cast<std::size_t>(channels));
      }
  return values;
}

}  // namespace attestone
