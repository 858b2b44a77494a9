// SPDX-License-Identifier: Apache-2.0
// One row at a time: such rows are rare.
#include "backends/cpu/simd/masked_rows.hpp"

#include <bit>
#include <cmath>

namespace attestone {

bool all_finite(const float* row, index channels) {
  constexpr std::uint32_t exponent = 0x7F800000;  // all of its bits are set in infinities and NaN alone
  std::uint32_t others = 0;
  for (index c = 0; c < channels; ++c) others |= (std::bit_cast<std::uint32_t>(row[c]) & exponent) == exponent;
  return others == 0;
}

void clear_non_finite(float* row, index channels) {
  for (index c = 0; c < channels; ++c) row[c] = std::isfinite(row[c]) ? row[c] : 0;
}

void add_non_finite(QuerySet some, const float* v, const float* p, index channels, float* OT) {
  for (index c = 0; c < channels; ++c) {
    if (std::isfinite(v[c])) continue;
    for (index query = 0; query < panel_queries; ++query)
      if (some >> query & 1) OT[c * panel_queries + query] += v[c] * p[query];
  }
}

}  // namespace attestone
