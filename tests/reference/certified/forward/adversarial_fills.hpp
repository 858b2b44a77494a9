// SPDX-License-Identifier: Apache-2.0
// Inputs that make truth hard: ties, cancellation, extremes of the format.
#pragma once

#include <cmath>
#include <random>
#include <string_view>
#include <vector>

#include "reference/call/tensors.hpp"

namespace attestone {

using Random = std::mt19937_64;

/// A fill writes all inputs of a problem; its idea is in Q, K and V.
struct AdversarialFill {
  std::string_view name;
  void (*fill_operands)(const Problem&, Inputs&, Random&);

  void fill(const Problem&, Inputs&, Random&) const;
};

const std::vector<AdversarialFill>& adversarial_fills();

/// x rounded to the tensor's format; to its largest number beyond, unless x and the format have infinities.
inline void set_saturated(const View& view, const Extents& at, double x) {
  const bool infinite = std::isinf(x) && view.dtype().has_infinity();
  const Overflow overflow = infinite ? Overflow::standard : Overflow::saturate;
  view.set_code(at[0], at[1], at[2], at[3], view.dtype().encode(x, Rounding::nearest_even, overflow));
}

/// Sets every element to generate(row, channel), as set_saturated does.
template <class Generate>
void set_all(Tensor& tensor, Generate generate) {
  const View view = tensor.view();
  const auto& [batches, heads, rows, channels] = view.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c) set_saturated(view, {b, h, r, c}, generate(r, c));
}

}  // namespace attestone
