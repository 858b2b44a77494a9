// SPDX-License-Identifier: Apache-2.0
// Problems judged side by side: each by one thread, and entered in the order in which they were given.
#pragma once

#include "conformance/run/ledger.hpp"
#include "conformance/run/stop.hpp"

namespace attestone::inline conformance {

/// Judges all problems in options.threads threads, idle ones asleep. What comes of it is, entry by entry, what one
/// thread would have entered, whichever is done first. Short problems are judged by one thread each, kernel and truth
/// included; a long one alone, with all of them. As many at a time as the machine's memory holds well.
///
/// Stopped if it is to stop; throws what judging the first problem throws that does.
void judge_side_by_side(const Kernel&, const RunOptions&, Ledger&, const Stop&);

}  // namespace attestone::inline conformance
