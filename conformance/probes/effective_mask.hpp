// SPDX-License-Identifier: Apache-2.0
// The mask read-out: which keys each query of a kernel effectively uses, whatever it was asked to use.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/kernel.hpp"

namespace attestone {

/// Q = 0, so that all scores tie but for biases, and V the columns `first` onwards of the identity: O holds weights.
Inputs weights_shown(const Problem&, index first);

/// The weights of one sequence and head, [queries][keys], and which of them should be more than 0.
struct MaskReadOut {
  index batch = 0, head = 0;
  std::vector<std::vector<double>> weight;
  std::vector<std::vector<bool>> right;

  bool agrees() const;
  /// One line for each query, '#' for a key that takes part, '.' for one that does not, '?' for NaN: what is right,
  /// then what the kernel uses, marked where they differ.
  std::vector<std::string> picture() const;
};

/// With Q = 0 all scores tie, and where V is a part of the identity, O holds the weights of as many keys as V has
/// channels: ceil(keys / value_dim) calls. The first sequence and head whose weights are wrong; none if all are right,
/// as far as a picture of them can be drawn.
std::optional<MaskReadOut> wrong_mask(const AnyKernel&, const Problem&);

}  // namespace attestone
