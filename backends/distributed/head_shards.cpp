// SPDX-License-Identifier: Apache-2.0
// Dealing heads.
#include "backends/distributed/head_shards.hpp"

namespace attestone {

HeldHeads HeadShards::of(index member) const {
  const index least = kv_copies() / members_, more = kv_copies() % members_, readers = shape_.heads / kv_copies();
  const index first = member * least + std::min(member, more), count = least + (member < more ? 1 : 0);
  return {{first * readers, (first + count) * readers - 1}, {first, first + count - 1}};
}

}  // namespace attestone
