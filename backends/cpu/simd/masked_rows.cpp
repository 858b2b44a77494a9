// SPDX-License-Identifier: Apache-2.0
// One row at a time: rows that are not finite are rare, and only the question whether they are is asked often.
#include "backends/cpu/simd/masked_rows.hpp"

#include <bit>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/simd/masked_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace attestone::inline backends {
namespace HWY_NAMESPACE {

bool all_finite_on_target(const float* row, index channels) {
  constexpr std::uint32_t exponent = 0x7F800000;  // all of its bits are set in infinities and NaN alone
  std::uint32_t others = 0;
  for (index c = 0; c < channels; ++c) others |= (std::bit_cast<std::uint32_t>(row[c]) & exponent) == exponent;
  return others == 0;
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone::inline backends
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone::inline backends {

HWY_EXPORT(all_finite_on_target);

bool all_finite(const float* row, index channels) { return HWY_DYNAMIC_DISPATCH(all_finite_on_target)(row, channels); }

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

}  // namespace attestone::inline backends
#endif
