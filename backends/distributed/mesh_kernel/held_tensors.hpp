// SPDX-License-Identifier: Apache-2.0
// Handing rows and heads of a call's tensors to the ranks that hold them, and putting their answers together.
#pragma once

#include "backends/cpu/parts/interval.hpp"
#include "backends/distributed/messages/buffer.hpp"
#include "backends/distributed/sharding/shard.hpp"

namespace attestone::inline backends {

/// A copy of these rows and heads, on a rank's device. Heads are numbered among copies, so many of each.
Buffer scattered(Device&, std::string_view name, ConstView whole, const HeldRows&, Interval heads, index copies = 1);

/// Puts them back where they belong. KernelFault if they are not what belongs there.
void gather(const Buffer&, const HeldRows&, Interval heads, View whole);

}  // namespace attestone::inline backends
