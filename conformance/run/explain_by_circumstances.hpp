// SPDX-License-Identifier: Apache-2.0
// Which elements are wrong, when a kernel fails, and of what kind its fault is.
#pragma once

#include "conformance/run/ledger.hpp"
#include "conformance/run/stop.hpp"

namespace attestone::inline conformance {

/// Asks for the circumstances of one failure of the run: of a value bound, else of a gradient bound, else the first.
/// Enters nothing if there is none, or nothing can be said. Stopped when it is to stop.
void find_circumstances(const Kernel&, Ledger&, const Stop&);

}  // namespace attestone::inline conformance
