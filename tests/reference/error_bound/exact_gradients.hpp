// SPDX-License-Identifier: Apache-2.0
// The exact gradients, by the derivative of the formula of docs/rules.md in extended precision.
#pragma once

#include <optional>
#include <vector>

#include "reference/call/tensors.hpp"

namespace attestone::emulation {

/// Numbers [batch, heads, rows, channels].
struct RealTensor {
  explicit RealTensor(const Extents& of) : extents(of), values(static_cast<std::size_t>(element_count(of))) {}
  long double& at(index b, index h, index r, index c) { return values[place(b, h, r, c)]; }
  long double at(index b, index h, index r, index c) const { return values[place(b, h, r, c)]; }

  Extents extents;
  std::vector<long double> values;

 private:
  std::size_t place(index b, index h, index r, index c) const {
    return static_cast<std::size_t>(((b * extents[1] + h) * extents[2] + r) * extents[3] + c);
  }
};

struct ExactGradients {
  ExactGradients(const Problem&, const Inputs&);
  RealTensor query, key, value;
  std::optional<RealTensor> bias, sink;
};

}  // namespace attestone::emulation
