// SPDX-License-Identifier: Apache-2.0
// All chosen query rows that read one kv head.
#pragma once

#include "reference/certified/truth.hpp"
#include "reference/certified/visibility.hpp"

namespace attestone {

/// Certifies the rows of every query head of the group, and counts all decisions but those in double.
void certify_head(const Problem&, const Inputs&, index batch, index kv_head, const Visibility&, bool escalate, Truth&);

}  // namespace attestone
