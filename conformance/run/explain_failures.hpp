// SPDX-License-Identifier: Apache-2.0
// Shrinking and diagnosing what failed in a run.
#pragma once

#include "conformance/run/ledger.hpp"
#include "conformance/run/stop.hpp"

namespace attestone::inline conformance {

/// Shrinks the first failure of each property to the least problem that fails for the same reason.
///
/// Steps reuse the kernel's process, warm as it is; the results are confirmed in a fresh one, as the repro line will
/// meet it. Where that does not fail any more, the failure depends on what was called before, and is shrunk again with
/// a fresh start for each step. Stopped when it is to stop; what was found so far stands in the ledger then.
void shrink_failures(const Kernel&, Ledger&, const Stop&);

/// By the first failure that a wrong variant explains, or whose masks and scores can be read; where there is none, by
/// what would have to be declared.
void diagnose_failures(const Kernel&, Ledger&, const Stop&);

}  // namespace attestone::inline conformance
