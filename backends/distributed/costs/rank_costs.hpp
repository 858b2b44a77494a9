// SPDX-License-Identifier: Apache-2.0
// The traffic of a rank and its most memory: closed forms that every run must match.
#pragma once

#include <span>
#include <string_view>

#include "backends/device.hpp"
#include "backends/distributed/sharding/head_shards.hpp"
#include "backends/distributed/sharding/shard.hpp"
#include "reference/problem/problem.hpp"

namespace attestone::inline backends {

/// Bytes of a buffer, by what it is for.
struct NamedBytes {
  std::string_view name;
  index bytes;
};

/// Messages and bytes that leave a rank in one pass, and the most that its buffers take at once. The local kernel's own
/// memory is not among them. Peaks are reached where blocks have all queries, as of full masks; else they are upper
/// bounds (docs/meshes.md, "Costs").
struct RankCosts : DeviceUse {
  /// The rank sends this.
  void send(index more_messages, index more_bytes);
  /// There is a moment at which the rank holds these buffers, and no others.
  void hold(std::span<const NamedBytes>);
  /// The rank does what costs as much, and holds these buffers all the time.
  void add(const RankCosts&, std::span<const NamedBytes> beside);
};

/// All that costs depend on: the problem, who holds what, and where the rank stands.
struct CostedRank {
  const Problem& problem;
  const Shards &queries, &keys;
  index ring = 1, ring_place = 0;  ///< devices of the ring, and the place among them
  index inner = 1;                 ///< of a double ring: devices of each of its inner rings
  HeadShards heads;                ///< of the Ulysses group
  index ulysses_place = 0;         ///< in it
  bool keeps_out = false;          ///< the local kernel reads O in the backward pass, so it stays
};

}  // namespace attestone::inline backends
