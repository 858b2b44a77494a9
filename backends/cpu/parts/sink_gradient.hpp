// SPDX-License-Identifier: Apache-2.0
// The gradient of the sinks: each takes mass from every query of its head, and gives nothing.
#pragma once

#include "backends/kernel.hpp"

namespace attestone::inline backends {

/// Stores dsink = - sum over batch and queries of e^(sink - L) delta for every head, in double and one query after the
/// other; does nothing without sinks. A query that sees no key adds nothing, whatever its dout holds.
void store_sink_gradient(const Problem&, const BackwardArguments&, Device&);

/// 8 value_dim bytes with sinks, for a row of O and one of dO; else 0.
index sink_gradient_bytes(const Problem&);

}  // namespace attestone::inline backends
