// SPDX-License-Identifier: Apache-2.0
// What the program of a rank is sent: what a kernel behind the pipe is, with its own rows, and who holds which.
#pragma once

#include "backends/distributed/rank/rank.hpp"
#include "backends/plugins/program/frame.hpp"

namespace attestone::inline backends {

/// Tensors of the rank's own rows, [1, heads, rows, channels]; `query_table` and `key_table`, I64 [rows of all, 3]:
/// place, sequence and number of every row, as they lie in memory.
Frame forward_request(const Rank&, const RankInputs&);
Frame backward_request(const Rank&, const RankSaved&);

}  // namespace attestone::inline backends
