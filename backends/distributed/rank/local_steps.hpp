// SPDX-License-Identifier: Apache-2.0
// Steps of rank programs that need no peer.
#pragma once

#include <span>

#include "backends/distributed/rank/rank.hpp"

namespace attestone::inline backends {

/// All queries on all keys, in one call: what every method is on one device.
RankAnswer local_forward(Rank&, RankInputs&, const LocalQueries&);
/// dK and dV in this format.
RankGradients local_backward(Rank&, RankSaved&, const LocalQueries&, const DType& key_gradients);

/// The sum of dO O of every row, in double, then f32: "delta" [rows][heads][1]; 0 of a row that sees no key at all.
/// Adds what the rows give to the gradients of the sinks.
Buffer delta_of(Rank&, const LocalQueries&, const RankSaved&);
/// A copy of the sum in this format, rounded once.
Buffer rounded(Rank&, const char* name, const Buffer& sum, const DType&);

}  // namespace attestone::inline backends
