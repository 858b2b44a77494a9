// SPDX-License-Identifier: Apache-2.0
// Gaps everywhere: nothing is packed, and the gaps are guarded.
#include "reference/registry.hpp"
#include "reference/tensor/layout.hpp"

namespace attestone {
namespace {

// Small odd gaps: a kernel that assumes any packing, or any alignment beyond the element's, reads the wrong place.
constexpr index row_gap = 3, head_gap = 5, batch_gap = 7;

Strides strides(const Shape&, TensorName, const Extents& extents) {
  const auto& [batch, heads, rows, channels] = extents;
  const index row = channels + row_gap;
  const index head = rows * row + head_gap;
  return {heads * head + batch_gap, head, row, 1};
}

const Registration<Layout> registered{{
    .name = "strided",
    .summary = "bhsd with gaps after every row, head and batch, none of a round size",
    .strides = strides,
    .drawing = {.turn = 1},
}};

}  // namespace
}  // namespace attestone
