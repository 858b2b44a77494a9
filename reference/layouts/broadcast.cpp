// SPDX-License-Identifier: Apache-2.0
// Expanded K and V, as torch.Tensor.expand leaves them: several kv heads at one address.
#include "reference/registry.hpp"
#include "reference/tensor/layout.hpp"

namespace attestone {
namespace {

Strides strides(const Shape&, TensorName tensor, const Extents& extents) {
  const auto& [batch, heads, rows, channels] = extents;
  if (tensor == TensorName::query || tensor == TensorName::out) return packed_strides(extents);
  return {rows * channels, 0, channels, 1};
}

const Registration<Layout> registered{{
    .name = "broadcast",
    .summary = "K and V hold one head that all kv heads share by stride 0; query and out are packed",
    .strides = strides,
    .shares_places = true,
    .drawing = {.turn = 1},
}};

}  // namespace
}  // namespace attestone
