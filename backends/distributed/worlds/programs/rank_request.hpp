// SPDX-License-Identifier: Apache-2.0
// The request to a rank's program: that of a kernel behind the pipe, with its own rows, and who holds which.
#pragma once

#include "backends/distributed/rank/rank.hpp"
#include "backends/plugins/program/frame.hpp"

namespace attestone::inline backends {

/// Tensors of the rank's own rows, [1, heads, rows, channels]; `query_table` and `key_table`, I64 [rows of all, 3]:
/// place, sequence and number of every row, as they lie in memory.
Frame forward_request(const Rank&, const RankInputs&);
Frame backward_request(const Rank&, const RankSaved&);

}  // namespace attestone::inline backends
