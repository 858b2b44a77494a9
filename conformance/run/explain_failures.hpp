// SPDX-License-Identifier: Apache-2.0
// Shrinking and diagnosing what failed in a run.
#pragma once

#include "conformance/run/ledger.hpp"
#include "conformance/run/stop.hpp"

namespace attestone::inline conformance {

/// With `shrink`, shrinks the first failure of each property to the least problem that fails for the same reason.
///
/// Steps reuse the kernel's process, warm as it is; the results are confirmed in a fresh one, as the repro line will
/// meet it. Where that does not fail any more, the failure depends on what was called before, and is shrunk again with
/// a fresh start for each step. Stopped when it is to stop; what was found so far stands in the ledger then.
///
/// At the end the line of each failure is run again in a fresh process. If it passes, the failing problem is asked
/// after itself, and after the one that failed first; if it passes then, too, it is run five times.
void reproduce_failures(const Kernel&, Ledger&, const Stop&, bool shrink);

/// By the first failure that a wrong variant explains, or whose masks and scores can be read; where there is none, by
/// what would have to be declared.
void diagnose_failures(const Kernel&, Ledger&, const Stop&);

}  // namespace attestone::inline conformance
