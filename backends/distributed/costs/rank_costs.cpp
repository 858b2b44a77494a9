// SPDX-License-Identifier: Apache-2.0
// Adding up what leaves a rank, and what it holds at every moment at which something is new.
#include "backends/distributed/costs/rank_costs.hpp"

#include <algorithm>

namespace attestone::inline backends {

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

void RankCosts::add(const RankCosts& more, std::span<const NamedBytes> beside) {
  send(more.messages, more.bytes);
  RankCosts both;
  both.hold(beside);
  both.peak.bytes += more.peak.bytes;
  for (const auto& [name, most] : more.peak.by_name) both.peak.by_name[name] += most;
  peak.bytes = std::max(peak.bytes, both.peak.bytes);
  for (const auto& [name, most] : both.peak.by_name) peak.by_name[name] = std::max(peak.by_name[name], most);
}

}  // namespace attestone::inline backends
