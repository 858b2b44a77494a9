// SPDX-License-Identifier: Apache-2.0
// Where probes look that compare two weights.
#pragma once

#include <array>
#include <optional>

#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// A query, and two keys that it sees: one that stays, and one that a probe moves.
struct TwoKeys {
  index batch, head, query, still, moved;
};

/// Two such places, as unlike as the problem has them, so that what one shows the other must confirm: the last query of
/// the first sequence and head with its first two keys, and the first query of the last ones with its last two keys in
/// the other order. Nothing if no query sees two keys.
std::optional<std::array<TwoKeys, 2>> two_keys(const Problem&);

}  // namespace attestone::inline conformance
