// SPDX-License-Identifier: Apache-2.0
// K and V together: what travels from rank to rank.
#pragma once

#include <optional>

#include "backends/distributed/messages/collectives.hpp"
#include "backends/distributed/rank/rank.hpp"

namespace attestone::inline backends {

/// K and V of some rows, or their gradients.
struct KeyValue {
  KeyValue(Rank&, std::string_view name, const DType& key_format, const DType& value_format, index rows, HeldHeads);
  KeyValue(Buffer k, Buffer v) : key(std::move(k)), value(std::move(v)) {}

  void clear();
  void add(const KeyValue& more);
  void release();

  Buffer key, value;
};

/// Sums that came, and what a rank adds to them, if it does.
KeyValue sum_of(KeyValue sums, const std::optional<KeyValue>& share);

/// The shard on its way to a rank, and the one that it sends meanwhile.
struct Hop {
  std::optional<KeyValue> coming;
  std::vector<Request> under_way;

  Task<> finished() { return all_of(std::move(under_way)); }
};

/// `out` goes to the member of the group so many steps further on, as many rows as are said come from the one so many
/// steps back, into new buffers of this name. Under way on return.
Hop hop(Rank&, const Group&, index steps, const KeyValue& out, std::string_view name, index rows, Messages,
        From = From::current());

}  // namespace attestone::inline backends
