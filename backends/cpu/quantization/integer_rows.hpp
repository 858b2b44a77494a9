// SPDX-License-Identifier: Apache-2.0
// Rows of integer codes, and their exact products with others.
#pragma once

#include "backends/cpu/simd/integer_products.hpp"
#include "backends/device.hpp"

namespace attestone::inline backends {

/// Codes of K of one head, which are whole numbers from -128 to 127.
class IntegerRows {
 public:
  /// Room for so many rows, filled up with zeros to QuadRows::rows_together rows and whole quads of channels.
  IntegerRows(Device&, index rows, index channels);
  /// rows' * (channels' + 8) + channels', of rows' and channels' = rows and channels filled up.
  static index bytes(index rows, index channels);

  /// Takes rows of [rows][channels] codes.
  void take(const float* codes, index rows);
  /// products[r] = the codes of another row times those of row r, for the first `rows` rows. Numbers of at most 2^21,
  /// which floats hold, of up to 128 channels.
  void multiply(const float* row, index rows, float* products);

 private:
  index channels_, rows_, quads_of_row_;
  Allocation<std::uint32_t> quads_;
  Allocation<std::int32_t> sums_, products_;
  Allocation<std::int8_t> row_;
};

}  // namespace attestone::inline backends
