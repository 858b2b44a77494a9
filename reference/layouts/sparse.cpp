// SPDX-License-Identifier: Apache-2.0
// Strides so large that the offset of an element leaves 32 bits along each axis: what a huge cache or batch looks like.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "reference/registry.hpp"
#include "reference/tensor/layout.hpp"

namespace attestone {
namespace {

constexpr std::uint64_t least_stride = std::uint64_t{1} << 25, beyond_int = std::uint64_t{1} << 31;
// Beyond, a tensor takes more addresses than processes have for eight of them.
constexpr index most_sequences = 64, most_heads = 64, most_rows = 512;
// Every row has a page of its own, or two.
constexpr index most_rows_of_all = index{1} << 10;

/// Packed strides, each with a power of two added: no two elements meet, since those powers are multiples of what is
/// packed; and the last element along each axis lies 2^31 elements or more behind the first one.
Strides strides(const Shape&, TensorName, const Extents& extents) {
  const std::uint64_t packed = std::bit_ceil(static_cast<std::uint64_t>(std::max<index>(element_count(extents), 1)));
  Strides all = packed_strides(extents);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto steps = static_cast<std::uint64_t>(std::max<index>(extents[axis] - 1, 1));
    all[axis] += static_cast<index>(std::max({packed, least_stride, std::bit_ceil((beyond_int + steps - 1) / steps)}));
  }
  return all;
}

bool fits(const Shape& s) {
  const index rows = std::max(s.queries, s.keys);
  return s.batch <= most_sequences && s.heads <= most_heads && rows <= most_rows &&
         s.batch * s.heads * rows <= most_rows_of_all;
}

const Registration<Layout> registered{{
    .name = "sparse",
    .summary =
        "strides of 2^25 to 2^31 elements, so that offsets leave 32 bits along every axis; rows alone are memory",
    .strides = strides,
    .needs = "at most 64 sequences, 64 heads and 512 queries and keys, and no more than 1024 rows in a tensor",
    .fits = fits,
    .drawing = {.chance = 0},  // designs and suites ask for it: most random problems have no room for it
}};

}  // namespace
}  // namespace attestone
