// SPDX-License-Identifier: Apache-2.0
// Adding up what leaves a rank, and what it holds at every moment at which something is new.
#include "backends/distributed/rank_costs.hpp"

#include <algorithm>

namespace attestone {

void RankCosts::send(index more_messages, index more_bytes) {
  messages += more_messages;
  bytes += more_bytes;
}

void RankCosts::hold(std::span<const NamedBytes> buffers) {
  MemoryUse now;
  for (const NamedBytes& buffer : buffers) {
    if (buffer.bytes == 0) continue;
    now.bytes += buffer.bytes;
    now.by_name[std::string(buffer.name)] += buffer.bytes;
  }
  peak.bytes = std::max(peak.bytes, now.bytes);
  for (const auto& [name, most] : now.by_name) peak.by_name[name] = std::max(peak.by_name[name], most);
}

}  // namespace attestone
