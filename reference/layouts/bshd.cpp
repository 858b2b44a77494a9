// SPDX-License-Identifier: Apache-2.0
// Rows outside heads, as models and most libraries store activations.
#include "reference/registry.hpp"
#include "reference/tensor/layout.hpp"

namespace attestone {
namespace {

Strides strides(const Shape&, TensorName, const Extents& extents) {
  const auto& [batch, heads, rows, channels] = extents;
  return {rows * heads * channels, channels, heads * channels, 1};
}

const Registration<Layout> registered{{
    .name = "bshd",
    .summary = "batch, row, head, channel, packed",
    .strides = strides,
    .drawing = {.turn = 1},
}};

}  // namespace
}  // namespace attestone
