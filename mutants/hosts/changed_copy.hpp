// SPDX-License-Identifier: Apache-2.0
// A changed copy of an input, for mutants that misread one.
#pragma once

#include "reference/tensor/tensor.hpp"

namespace attestone::inline mutants {

/// A packed copy in which every element is change(value, {batch, head, row, channel}).
template <class Change>
Tensor changed_copy(const ConstView& from, Change change) {
  Tensor copy(from.dtype(), from.extents());
  for_each_element(from, [&](index b, index h, index r, index c) {
    copy.view().set(b, h, r, c, change(from.value(b, h, r, c), Extents{b, h, r, c}));
  });
  return copy;
}

}  // namespace attestone::inline mutants
