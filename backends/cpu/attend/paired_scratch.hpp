// SPDX-License-Identifier: Apache-2.0
// What a worker needs beside floats where products of bf16 are added up in pairs.
#pragma once

#include <cstdint>

#include "backends/cpu/simd/bfloat16_products.hpp"
#include "backends/device.hpp"

namespace attestone {

struct AttendExtents;

/// What one worker needs where products are in pairs.
struct PairedScratch {
  PairedScratch(Device&, const AttendExtents&);
  /// 2 * (32 (panels dim' + keys') + keys max(dim', value_dim) + (2 value_dim + 1)(keys' + 32)), where dim' and keys'
  /// are multiples of 32; 0 without pairs.
  static index bytes(const AttendExtents&);

  index stride;                          ///< of a row of V^T
  Allocation<std::uint32_t> queries;     ///< [panels][dim' / 2][32]
  Allocation<std::uint32_t> weights;     ///< [keys' / 2][32]
  Allocation<std::uint16_t> rows;        ///< [keys][max(dim', value_dim)]: of K or V, where they must be copied
  Allocation<std::uint16_t> VT;          ///< [value_dim][stride]
  Allocation<std::uint16_t> cleared;     ///< the same, where NaN or infinities hide behind the mask
  Allocation<std::uint16_t> magnitudes;  ///< [stride]: the largest code of each value, without its sign
  bool knows_magnitudes = false;         ///< of the values that pass

 private:
  static index column_stride(const AttendExtents&);
};

}  // namespace attestone
