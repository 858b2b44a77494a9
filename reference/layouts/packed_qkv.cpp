// SPDX-License-Identifier: Apache-2.0
// One projection's output: the rows of Q, K and V side by side, so that each tensor skips over the other two.
#include "reference/registry.hpp"
#include "reference/tensor/layout.hpp"

namespace attestone {
namespace {

Strides strides(const Shape& shape, TensorName tensor, const Extents& extents) {
  const auto& [batch, heads, rows, channels] = extents;
  const bool in_the_buffer = tensor == TensorName::query || tensor == TensorName::key || tensor == TensorName::value;
  const index row = (in_the_buffer ? shape.heads + 2 * shape.kv_heads : heads) * channels;
  return {rows * row, channels, row, 1};
}

const Registration<Layout> registered{{
    .name = "packed_qkv",
    .summary = "Q, K and V in rows of one buffer [batch, row, heads + 2 kv_heads, dim]; out is like bshd",
    .strides = strides,
    .together = true,
    .needs = "as many queries as keys, and dim = value_dim",
    .fits = [](const Shape& shape) { return shape.queries == shape.keys && shape.dim == shape.value_dim; },
    .drawing = {.turn = 1},
}};

}  // namespace
}  // namespace attestone
