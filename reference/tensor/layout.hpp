// SPDX-License-Identifier: Apache-2.0
// Layouts: where in memory the elements [batch, head, row, channel] of a tensor lie.
#pragma once

#include <string_view>

#include "reference/random/draws.hpp"
#include "reference/tensor/tensor.hpp"
#include "reference/tensor/tensor_name.hpp"

namespace attestone {

/// A named layout: one file in reference/layouts/. It places query, key, value and out, and with them what the table of
/// tensors says is placed as one of them.
struct Layout {
  std::string_view name;
  std::string_view summary;
  Strides (*strides)(const Shape&, TensorName, const Extents&);
  bool ragged = false;                   ///< sequences lie behind each other, and padding does not exist
  bool together = false;                 ///< of all tensors, as one buffer: no tensor has it alone
  bool shares_places = false;            ///< some elements of K and V lie at one address
  std::string_view needs = {};           ///< of a layout that not every shape has: which ones have it
  bool (*fits)(const Shape&) = nullptr;  ///< whether a shape has it; null: every one
  Drawing drawing = {};                  ///< how random problems draw it

  bool takes(const Shape& shape) const { return !fits || fits(shape); }
};

}  // namespace attestone
