// SPDX-License-Identifier: Apache-2.0
// Laying rows side by side, and turning sums into floats.
#include "backends/cpu/quantization/integer_rows.hpp"

#include <algorithm>

#include "backends/cpu/parts/interval.hpp"

namespace attestone::inline backends {
namespace {

constexpr const char* memory = "codes of K, four channels side by side";
constexpr index byte_bits = 8;

index filled_up(index count, index multiple) { return tiles_of(count, multiple) * multiple; }

}  // namespace

IntegerRows::IntegerRows(Device& device, index rows, index channels)
    : channels_(channels),
      rows_(filled_up(rows, QuadRows::rows_together)),
      quads_of_row_(filled_up(channels, QuadRows::channels) / QuadRows::channels),
      quads_(device, quads_of_row_ * rows_, memory),
      sums_(device, rows_, memory),
      products_(device, rows_, memory),
      row_(device, quads_of_row_ * QuadRows::channels, memory) {
  std::ranges::fill(row_.span(), std::int8_t{0});
}

index IntegerRows::bytes(index rows, index channels) {
  const index row = filled_up(channels, QuadRows::channels);
  constexpr auto of_sums = static_cast<index>(2 * sizeof(std::int32_t));
  return filled_up(rows, QuadRows::rows_together) * (row + of_sums) + row;
}

void IntegerRows::take(const float* codes, index rows) {
  std::ranges::fill(quads_.span(), 0u);
  std::ranges::fill(sums_.span(), 0);
  for (index r = 0; r < rows; ++r)
    for (index c = 0; c < channels_; ++c) {
      const auto code = static_cast<std::int32_t>(codes[r * channels_ + c]);
      const index bits = c % QuadRows::channels * byte_bits;
      quads_[c / QuadRows::channels * rows_ + r] |= std::uint32_t{static_cast<std::uint8_t>(code)} << bits;
      sums_[r] += code;
    }
}

void IntegerRows::multiply(const float* row, index rows, float* products) {
  for (index c = 0; c < channels_; ++c) row_[c] = static_cast<std::int8_t>(row[c]);
  const index asked = filled_up(rows, QuadRows::rows_together);
  multiply_integers(row_.data(), {quads_.data(), sums_.data(), rows_, quads_of_row_}, asked, products_.data());
  std::copy_n(products_.data(), rows, products);
}

}  // namespace attestone::inline backends
