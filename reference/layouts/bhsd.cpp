// SPDX-License-Identifier: Apache-2.0
// Heads outside rows: each head's rows are contiguous.
#include "reference/registry.hpp"
#include "reference/tensor/layout.hpp"

namespace attestone {
namespace {

Strides strides(const Shape&, TensorName, const Extents& extents) { return packed_strides(extents); }

const Registration<Layout> registered{{
    .name = "bhsd",
    .summary = "batch, head, row, channel, packed",
    .strides = strides,
    .drawing = {.turn = 1},
}};

}  // namespace
}  // namespace attestone
