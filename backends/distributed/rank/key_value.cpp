// SPDX-License-Identifier: Apache-2.0
// Two buffers, moved as one.
#include "backends/distributed/rank/key_value.hpp"

#include "backends/distributed/messages/elements.hpp"

namespace attestone::inline backends {

KeyValue::KeyValue(Rank& rank, std::string_view name, const DType& key_format, const DType& value_format, index rows,
                   HeldHeads heads)
    : key(rank.device, name, key_format, rows, heads.kv.count(), rank.attention.whole().shape.dim),
      value(rank.device, name, value_format, rows, heads.kv.count(), rank.attention.whole().shape.value_dim) {}

void KeyValue::clear() {
  key.clear();
  value.clear();
}

void KeyValue::add(const KeyValue& more) {
  attestone::add(more.key.all(), key.all());
  attestone::add(more.value.all(), value.all());
}

void KeyValue::release() {
  key.release();
  value.release();
}

KeyValue sum_of(KeyValue sums, const std::optional<KeyValue>& share) {
  if (share) sums.add(*share);
  return sums;
}

Hop hop(Rank& rank, const Group& group, index steps, const KeyValue& out, std::string_view name, index rows,
        Messages messages, From from) {
  Hop hop;
  const auto room_for = [&](const Buffer& like) {
    return Buffer(rank.device, name, like.dtype(), rows, like.heads(), like.channels());
  };
  hop.coming.emplace(room_for(out.key), room_for(out.value));
  const std::vector<ConstView> going{out.key.all(), out.value.all()};
  const std::vector<View> coming{hop.coming->key.all(), hop.coming->value.all()};
  hop.under_way = permute(rank.communicator, group, steps, going, coming, messages, from);
  return hop;
}

}  // namespace attestone::inline backends
