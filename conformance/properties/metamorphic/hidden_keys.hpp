// SPDX-License-Identifier: Apache-2.0
// Keys that a query may not see in any head, and poison put there.
#pragma once

#include <string>
#include <vector>

#include "reference/call/visible_pairs.hpp"

namespace attestone::inline conformance {

/// A query of one sequence that sees some keys, but not all.
struct PartlyBlindQuery {
  index batch, query;
};

/// True if the query sees the key in some head.
bool seen_in_some_head(const Problem&, const VisiblePairs&, const PartlyBlindQuery&, index key);

/// The first, the middle and the last such query of each sequence.
std::vector<PartlyBlindQuery> partly_blind_queries(const Problem&, const VisiblePairs&);

/// True if there is any such query.
bool has_partly_blind_query(const Problem&);

/// The numbers put into hidden keys, to see if they matter.
struct HiddenPoison {
  double key, value;

  std::string text() const;
};

/// Numbers that a kernel must leave out even if it declares that NaN spreads: far larger than any other, and small
/// enough in K for scores to stay finite.
HiddenPoison finite_poison(const Problem&);
/// The poison for the backward pass, where dO times V is to stay finite too.
HiddenPoison finite_poison_of_gradients(const Problem&);

/// K and V replaced at every key that the query does not see in any head.
Inputs with_poison_behind(const Problem&, Inputs, const VisiblePairs&, const PartlyBlindQuery&, const HiddenPoison&);

}  // namespace attestone::inline conformance
