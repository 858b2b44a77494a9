// SPDX-License-Identifier: Apache-2.0
// The last queries of a problem as a problem of their own: decoding steps, and chunks of a prefill.
#pragma once

#include "conformance/properties/metamorphic/relation.hpp"

namespace attestone::inline conformance {

/// Why the queries from `first` on are no problem of their own; empty if they are.
std::string no_last_queries(const Problem&, index first);

/// The queries from `first` on, with all keys: their positions are those in the whole.
RelatedCall last_queries(Trial&, index first);

}  // namespace attestone::inline conformance
