// SPDX-License-Identifier: Apache-2.0
// What the backward steps of the ladder return: the gradients of <O, dO> in plain double.
#pragma once

#include "reference/attention/rows.hpp"
#include "reference/tensors.hpp"

namespace attestone {

/// Each of the extents of its input, at first 0; bias and sink have no elements where the problem has none.
struct Gradient {
  explicit Gradient(const Inputs& inputs)
      : query(inputs.query.view().extents()),
        key(inputs.key.view().extents()),
        value(inputs.value.view().extents()),
        bias(inputs.bias ? inputs.bias->view().extents() : Extents{}),
        sink(inputs.sink ? inputs.sink->view().extents() : Extents{}) {}

  Rows query, key, value, bias, sink;
};

}  // namespace attestone
