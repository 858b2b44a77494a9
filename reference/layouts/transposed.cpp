// SPDX-License-Identifier: Apache-2.0
// Rows innermost: each channel of a head is one run of memory, as a transposed K lies.
#include <algorithm>

#include "reference/registry.hpp"
#include "reference/tensor/layout.hpp"

namespace attestone {
namespace {

Strides strides(const Shape&, TensorName, const Extents& extents) {
  const auto& [batch, heads, rows, channels] = extents;
  const index run = std::max<index>(rows, 1);
  return {heads * channels * run, channels * run, 1, run};
}

const Registration<Layout> registered{{
    .name = "transposed",
    .summary = "batch, head, channel, row, packed: the channels of a row lie apart",
    .strides = strides,
    .drawing = {.chance = 0.04},  // most problems of old seeds stay what they were
}};

}  // namespace
}  // namespace attestone
