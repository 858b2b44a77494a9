// SPDX-License-Identifier: Apache-2.0
// Tensors of one head that a program has written, "full.query", as those of a problem.
#pragma once

#include <fmt/format.h>

#include "reference/call/tensors.hpp"
#include "reference/files/safetensors.hpp"

namespace attestone {

/// Copies codes, [1, 1, rows, channels] as the view has them, from the tensor of that case.
inline void copy_told(const Safetensors& told, const char* name, const char* part, const View& to) {
  const StoredTensor& from = told.tensor(fmt::format("{}.{}", name, part));
  for_each_element(to, [&](index b, index h, index r, index c) {
    to.set_code(b, h, r, c, read_code(from.bytes.data(), r * to.extents()[3] + c, to.dtype().storage_bits()));
  });
}

/// Its query, key and value.
inline Inputs told_inputs(const Safetensors& told, const char* name, const Problem& problem) {
  Inputs inputs(problem);
  copy_told(told, name, "query", inputs.query.view());
  copy_told(told, name, "key", inputs.key.view());
  copy_told(told, name, "value", inputs.value.view());
  return inputs;
}

}  // namespace attestone
