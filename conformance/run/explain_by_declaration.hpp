// SPDX-License-Identifier: Apache-2.0
// Where rounding explains what failed: what would have to be declared to pass.
#pragma once

#include "conformance/run/ledger.hpp"
#include "conformance/run/stop.hpp"

namespace attestone::inline conformance {

/// For a run in which elements were beyond their bounds: enters the least declaration with which no property fails any
/// more on the problems on which it did, and neither does any other but relations; or other codes, of a kernel that
/// misses the answer to those that it declares; or that there is none. Nothing is entered of NaN and infinities, and of
/// kernels that crash when they are asked more.
void find_declaration(const Kernel&, Ledger&, const Stop&);

}  // namespace attestone::inline conformance
