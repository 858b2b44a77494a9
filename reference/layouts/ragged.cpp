// SPDX-License-Identifier: Apache-2.0
// Sequences behind each other without padding, as cu_seqlens describes them: FlashAttention's varlen.
#include "reference/registry.hpp"
#include "reference/tensor/layout.hpp"

namespace attestone {
namespace {

Strides strides(const Shape&, TensorName, const Extents& extents) {
  const auto& [batch, heads, rows, channels] = extents;
  // Row starts place the sequences; the first stride is that of a batch in which none is shorter than the extents.
  return {rows * heads * channels, channels, heads * channels, 1};
}

const Registration<Layout> registered{{
    .name = "ragged",
    .summary = "all rows of all sequences behind each other, [row, head, channel]; padding does not exist",
    .strides = strides,
    .ragged = true,
    .drawing = {.turn = 1},
}};

}  // namespace
}  // namespace attestone
