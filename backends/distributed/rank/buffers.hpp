// SPDX-License-Identifier: Apache-2.0
// Several buffers that go the same way.
#pragma once

#include <vector>

#include "backends/distributed/messages/collectives.hpp"
#include "backends/distributed/rank/rank.hpp"

namespace attestone::inline backends {

/// A message each.
using Buffers = std::vector<Buffer>;

/// Room for so many rows of others that are like these.
Buffer room_like(Rank&, const char* name, const Buffer& own, index rows);
/// Sends to the member so many steps further on, and receives from the one so many steps back. Both are under way on
/// return.
std::vector<Request> pass(Rank&, const Group&, index steps, const Buffers& out, const Buffers& in,
                          From = From::current());

}  // namespace attestone::inline backends
