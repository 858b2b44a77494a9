// SPDX-License-Identifier: Apache-2.0
// Judging one problem: its questions one after the other, and what the ledger is to know of them.
#pragma once

#include "conformance/run/ledger.hpp"
#include "conformance/run/questions.hpp"

namespace attestone::inline conformance {

/// Something to be written into the ledger.
using LedgerEntry = std::function<void(Ledger&)>;

/// How the judging of a problem meets the run that it belongs to.
struct Desk {
  std::function<void(const Problem&, const Property&)> begins;  ///< called before each case; may throw Stopped
  std::function<bool(LedgerEntry)> enter;                       ///< false if the run is over with this
};

/// Returns true if the kernel takes the problem; the desk is told of it, and of what the kernel declares.
bool begin_problem(const Kernel&, const Problem&, const Desk&);

/// Asks the questions until the last one, until the run is over, or until the kernel refuses the problem in a call:
/// then returns how many were asked. All that one problem needs is made once, and lives in here.
std::optional<std::size_t> judge_problem(const Kernel&, const Problem&, const std::vector<Question>&, const RunOptions&,
                                         const Desk&);

}  // namespace attestone::inline conformance
