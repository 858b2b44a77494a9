// SPDX-License-Identifier: Apache-2.0
// Panels: how matrices lie for vectors. Thirty-two queries stand side by side, and every lane works for one of them.
#pragma once

#include <cstdint>

#include "reference/shape.hpp"

namespace attestone::inline backends {

/// Columns of a panel: two vectors of 512 bits, four of 256 or eight of 128, so that layouts do not depend on the
/// machine. A panel is a matrix [rows][panel_queries] of floats, aligned to 64 bytes; column i belongs to query i.
constexpr index panel_queries = 32;

/// Some of a panel's queries: bit i is that of column i.
using QuerySet = std::uint32_t;

/// The first `count` queries.
constexpr QuerySet first_queries(index count) {
  return count == panel_queries ? ~QuerySet{0} : (QuerySet{1} << count) - 1;
}

/// A factor for each query of a panel that changes nothing.
alignas(64) inline constexpr float no_change[panel_queries] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                                               1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/// How many panels hold so many queries.
constexpr index panels_of(index queries) { return (queries + panel_queries - 1) / panel_queries; }

/// Rows of floats at equal distances.
struct FloatMatrixRows {
  const float* data;
  index stride;

  const float* operator[](index row) const { return data + row * stride; }
  FloatMatrixRows from(index row) const { return {data + row * stride, stride}; }
};

}  // namespace attestone::inline backends
