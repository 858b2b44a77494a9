// SPDX-License-Identifier: Apache-2.0
// Entries that were registered after the problems of old seeds were fixed, and that enter random problems afterwards.
#pragma once

#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// Gives a random problem, the `number`-th of its seed, the masks, biases, formats, layouts and fills without a turn
/// that are drawn for it, each in the place of what was drawn before. A pure function of seed, number, problem and
/// entry: an entry more changes no problem but those that it enters.
void add_newcomers(std::uint64_t seed, index number, Problem&);

}  // namespace attestone::inline conformance
