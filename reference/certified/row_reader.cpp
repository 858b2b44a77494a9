// SPDX-License-Identifier: Apache-2.0
// Tables of decoded codes, built once per format, and the loops that use them.
#include "reference/certified/row_reader.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace attestone {
namespace {

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
  if (view.dtype().storage_bits() <= 16) table_ = decoding_table(view.dtype());
}

void RowReader::read(index batch, index head, index row, std::span<double> values) const {
  if (row >= view_.rows(batch)) {
    std::ranges::fill(values, 0.0);
    return;
  }
  const DType& dtype = view_.dtype();
  const std::byte* from = view_.at(batch, head, row, 0);
  const index stride = view_.strides()[3] * dtype.bytes(1);
  if (dtype.storage_bits() == 8)
    read_row<std::uint8_t>(from, stride, values, [&](std::uint8_t code) { return table_[code]; });
  else if (dtype.storage_bits() == 16)
    read_row<std::uint16_t>(from, stride, values, [&](std::uint16_t code) { return table_[code]; });
  else if (dtype.name == "f32")
    read_row<float>(from, stride, values, [](float x) { return static_cast<double>(x); });
  else if (dtype.name == "f64")
    read_row<double>(from, stride, values, [](double x) { return x; });
  else
    view_.read_row(batch, head, row, values);
}

}  // namespace attestone
