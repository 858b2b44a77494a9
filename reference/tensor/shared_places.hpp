// SPDX-License-Identifier: Apache-2.0
// Elements that share a place in memory: a stride of 0 repeats the first index of its axis.
#pragma once

#include <algorithm>

#include "reference/tensor/tensor.hpp"

namespace attestone {

/// How many indices of an axis have elements of their own.
inline index distinct(const View& view, int axis) {
  const index extent = view.extents()[axis];
  return view.strides()[axis] == 0 ? std::min<index>(extent, 1) : extent;
}

}  // namespace attestone
