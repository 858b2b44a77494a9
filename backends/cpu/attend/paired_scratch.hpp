// SPDX-License-Identifier: Apache-2.0
// A worker's buffers, in addition to floats, where products of bf16 are added up in pairs.
#pragma once

#include <cstdint>
#include <optional>

#include "backends/cpu/simd/bfloat16_products.hpp"
#include "backends/device.hpp"

namespace attestone::inline backends {

struct AttendExtents;

/// One worker's buffers where products are in pairs.
struct PairedScratch {
  PairedScratch(Device&, const AttendExtents&);
  /// 2 * (32 (panels dim' + keys' + 2) + keys max(dim', value_dim) + 2 value_dim (keys' + 32)), where dim' and keys'
  /// are multiples of 32; 0 without pairs.
  static index bytes(const AttendExtents&);

  /// The place of one code of V.
  index place(index channel, index key) const { return channel * row_step + key / 2 * pair_step + key % 2; }
  /// V^T of codes that lie so, from a key on, which is even unless they are transposed.
  PairedCodes values(const std::uint16_t* codes, index key) const {
    return {codes + place(0, key), row_step, pair_step};
  }

  index row_step, pair_step;  ///< of V^T: for dots rows of V are shuffled two by two, for tiles it is transposed
  Allocation<std::uint32_t> queries;  ///< [panels][dim' / 2][32]
  Allocation<std::uint32_t> weights;  ///< [keys' / 2 + 1][32]
  Allocation<std::uint16_t> rows;     ///< [keys][max(dim', value_dim)]: of K or V, where they must be copied
  Allocation<std::uint16_t> V;        ///< [value_dim (keys' + 32)], in pairs of keys; behind those that pass anything
  Allocation<std::uint16_t> cleared;  ///< the same, where NaN or infinities hide behind the mask
  std::optional<bool> all_finite;     ///< all that is in V, if it was asked

 private:
  static index reached_keys(const AttendExtents&);
};

}  // namespace attestone::inline backends
