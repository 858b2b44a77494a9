// SPDX-License-Identifier: Apache-2.0
// Where the tensors of a call stand in a larger problem, of which they hold a part: a rank's shard of a sequence.
#pragma once

#include <vector>

#include "reference/shape.hpp"

namespace attestone::inline backends {

/// One sequence of the call: which one it is of the whole batch, and which of its rows are here.
struct PlacedSequence {
  index batch = 0;
  Sequence whole;                    ///< its lengths in the whole
  std::vector<index> queries, keys;  ///< [local rows]: their numbers in the whole, rising
};

/// A kernel that is handed one numbers pairs as the whole does, wherever a formula asks for numbers: biases by formula,
/// and dropout. Shapes, masks and tensors are those of the call, numbered from 0, as ever.
struct Placement {
  index first_head = 0, heads = 1;        ///< the first query head of the call, and how many the whole has
  std::vector<PlacedSequence> sequences;  ///< [batch] of the call

  /// The pair as the whole numbers it.
  Pair whole(const Pair& local) const {
    const PlacedSequence& sequence = sequences[static_cast<std::size_t>(local.batch)];
    return {sequence.batch, first_head + local.head, sequence.queries[static_cast<std::size_t>(local.query)],
            sequence.keys[static_cast<std::size_t>(local.key)]};
  }
};

}  // namespace attestone::inline backends
