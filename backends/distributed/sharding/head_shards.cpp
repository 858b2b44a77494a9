// SPDX-License-Identifier: Apache-2.0
// Dealing heads.
#include "backends/distributed/sharding/head_shards.hpp"

namespace attestone::inline backends {

HeldHeads HeadShards::of(index member) const {
  const index least = kv_copies() / members_, more = kv_copies() % members_, readers = shape_.heads / kv_copies();
  const index each = least / of_chunks_, before = chunk_ * each;
  const index own = least + (member < more ? 1 : 0), count = chunk_ == of_chunks_ - 1 ? own - before : each;
  const index first = member * least + std::min(member, more) + before;
  return {{first * readers, (first + count) * readers - 1}, {first, first + count - 1}};
}

index HeadShards::kv_heads() const {
  index heads = 0;
  for (index member = 0; member < members_; ++member) heads += of(member).kv.count();
  return heads;
}

HeadShards HeadShards::chunk(index number, index of) const {
  HeadShards chunk = *this;
  chunk.chunk_ = number, chunk.of_chunks_ = of;
  return chunk;
}

}  // namespace attestone::inline backends
