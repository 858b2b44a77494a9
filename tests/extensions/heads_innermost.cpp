// SPDX-License-Identifier: Apache-2.0
// A layout that attestone does not have: the heads of one channel lie side by side.
#include "reference/registry.hpp"
#include "reference/tensor/layout.hpp"

namespace attestone {
namespace {

Strides strides(const Shape&, TensorName, const Extents& extents) {
  const auto& [batch, heads, rows, channels] = extents;
  return {rows * channels * heads, 1, channels * heads, heads};
}

const Registration<Layout> registered{{
    .name = "heads_innermost",
    .summary = "batch, row, channel, head, packed",
    .strides = strides,
}};

}  // namespace
}  // namespace attestone
