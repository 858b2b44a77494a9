// SPDX-License-Identifier: Apache-2.0
// The mask read-out: which keys each query of a kernel effectively uses, whatever it was asked to use.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/kernel.hpp"

namespace attestone::inline conformance {

/// Q and K are 0, so that all scores tie but for biases, and V the columns `first` onwards of the identity: O holds
/// weights.
Inputs weights_shown(const Problem&, index first);
/// Makes inputs show the weights of other columns.
void show_weights(Inputs&, index first);

/// The keys that the queries of one sequence and head use, and those that they should: [queries][keys].
struct MaskReadOut {
  index batch = 0, head = 0;
  std::vector<std::vector<bool>> used, right;

  /// The queries whose keys differ, in ascending order.
  std::vector<index> differing_queries() const;
  /// True if a key that should take part does not.
  bool misses_keys() const;
  /// A title, and a line for each query whose keys differ: '#' for a key that takes part, '.' for one that does not;
  /// what is right, then what the kernel uses. Of many such queries the first, and how many further ones there are; of
  /// wide rows those keys at which the differences begin.
  std::vector<std::string> picture() const;
};

/// The first sequence and head of which the kernel uses other keys than it should; none if all are right, or if it
/// cannot be said: with Q = 0, where O holds weights, a picture is read; then, key by key, one score is raised and V
/// shown at that key alone, and the weights must be those that the picture gives; and it must be read once more.
/// ceil(keys / value_dim) calls, and as many and at most thirty-two more for each head that differs. Of a kernel that
/// makes codes of V nothing is said of keys that are missing: codes may lose what is shown.
std::optional<MaskReadOut> wrong_mask(const Kernel&, const Problem&);

}  // namespace attestone::inline conformance
