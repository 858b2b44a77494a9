// SPDX-License-Identifier: Apache-2.0
// Inputs in which something is alike, or out of the way, that a kind of fault confuses.
#pragma once

#include <memory>

#include "reference/call/tensors.hpp"

namespace attestone::inline conformance {

using SharedInputs = std::shared_ptr<const Inputs>;

/// Every head holds what the first of its tensor does: Q, K, V, bias, sinks and dO. Null if a tensor has scales.
SharedInputs heads_alike(const Problem&);
/// Every sequence holds what the first does.
/// Each sequence holds what this one does.
SharedInputs sequences_alike(const Problem&, index batch);
/// Channels of V and dO from this one on are 0, and of Q and K as well if they are asked for.
SharedInputs channels_cleared(const Problem&, index from, bool of_keys);
/// Q, or V and dO, times 2^exponent.
SharedInputs queries_times(const Problem&, int exponent);
SharedInputs values_times(const Problem&, int exponent);
/// Every score of every row is about this more than it was: channel 0 carries it.
SharedInputs scores_raised_by(const Problem&, double level);

}  // namespace attestone::inline conformance
