// SPDX-License-Identifier: Apache-2.0
// Scores that all lie far from zero, on the same side.
#pragma once

#include "conformance/problems/fill.hpp"

namespace attestone::inline conformance {

/// Normal Q, K and V, but for channel 0, by which every score of a query is level(query) and what the other channels
/// make of it. Of |level| as small as scores of models may be, no format overflows.
ElementSource at_level(const Problem&, double (*level)(const Problem&, const Element& query));

}  // namespace attestone::inline conformance
