// SPDX-License-Identifier: Apache-2.0
// The exact gradients, by the derivative of the formula of docs/rules.md in extended precision.
#pragma once

#include <optional>
#include <vector>

#include "reference/tensors.hpp"

namespace attestone::emulation {

/// One gradient [batch, heads, rows, channels].
struct ExactGradient {
  explicit ExactGradient(const Extents& of) : extents(of), values(static_cast<std::size_t>(element_count(of))) {}
  long double& at(index b, index h, index r, index c) {
    return values[static_cast<std::size_t>(((b * extents[1] + h) * extents[2] + r) * extents[3] + c)];
  }

  Extents extents;
  std::vector<long double> values;
};

struct ExactGradients {
  ExactGradients(const Problem&, const Inputs&);
  ExactGradient query, key, value;
  std::optional<ExactGradient> bias, sink;
};

}  // namespace attestone::emulation
