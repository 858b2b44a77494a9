// SPDX-License-Identifier: Apache-2.0
// Where probes look that compare two weights.
#pragma once

#include <optional>

#include "reference/problem.hpp"

namespace attestone {

/// A query, and two keys that it sees: one that stays, and one that a probe moves.
struct TwoKeys {
  index batch, head, query, still, moved;
};

/// The last query that sees two keys, with the first two of them.
std::optional<TwoKeys> two_keys(const Problem&);

}  // namespace attestone
