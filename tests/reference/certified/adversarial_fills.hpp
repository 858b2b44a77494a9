// SPDX-License-Identifier: Apache-2.0
// Inputs that make truth hard: ties, cancellation, extremes of the format.
#pragma once

#include <random>
#include <string_view>
#include <vector>

#include "reference/tensors.hpp"

namespace attestone {

using Random = std::mt19937_64;

/// A fill writes Q, K and V of a problem.
struct AdversarialFill {
  std::string_view name;
  void (*fill)(const Problem&, Inputs&, Random&);
};

const std::vector<AdversarialFill>& adversarial_fills();

/// Sets every element to generate(row, channel), rounded to the tensor's format, and to its largest number beyond.
template <class Generate>
void set_all(Tensor& tensor, Generate generate) {
  const View view = tensor.view();
  const auto& [batches, heads, rows, channels] = view.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c)
          view.set_code(b, h, r, c, view.dtype().encode(generate(r, c), Rounding::nearest_even, Overflow::saturate));
}

}  // namespace attestone
