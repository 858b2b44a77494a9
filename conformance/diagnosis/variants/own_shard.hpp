// SPDX-License-Identifier: Apache-2.0
// The shards of a ring, as far as its wrong variants need them.
#pragma once

#include <vector>

#include "conformance/diagnosis/definition.hpp"

namespace attestone::inline conformance {

/// A ring that deals neighbouring rows, and as many keys to each place.
class OwnShard {
 public:
  OwnShard(const Problem& problem, index places) : problem_(problem), places_(places) {}

  /// The key of the query's own place that stands where the key stands in its shard.
  KeyPlace key(const Pair& at) const { return in_shard(place_of_query(at), at); }
  /// True if the key is of the query's own place.
  bool has(const Pair& at) const { return place_of_query(at) == place_of_key(at); }
  /// The key that stands there in the shard which is as far behind the query's place as the key's is ahead of it.
  KeyPlace mirrored(const Pair& at) const {
    return in_shard((2 * place_of_query(at) - place_of_key(at) + places_) % places_, at);
  }

 private:
  index keys(index batch) const { return problem_.sequence(batch).keys / places_; }
  index place_of_key(const Pair& at) const { return at.key / keys(at.batch); }
  index place_of_query(const Pair& at) const { return place_of(at.query, problem_.sequence(at.batch).queries); }
  KeyPlace in_shard(index place, const Pair& at) const {
    return {at.batch, problem_.shape.kv_head(at.head), place * keys(at.batch) + at.key % keys(at.batch)};
  }
  /// The first places have one row more, where rows cannot be dealt evenly. Padding is behind the last place.
  index place_of(index row, index rows) const {
    if (row >= rows) return places_;
    const index few = rows / places_, longer = rows % places_, behind = row - longer * (few + 1);
    return behind < 0 ? row / (few + 1) : longer + behind / few;
  }

  Problem problem_;
  index places_;
};

/// The numbers of places among which the keys of every sequence can be dealt so.
inline std::vector<index> places_of_equal_shards(const Problem& problem) {
  std::vector<index> all;
  for (const index places : {2, 3, 4, 6}) {
    bool equal = true;
    for (index batch = 0; batch < problem.shape.batch; ++batch) equal &= problem.sequence(batch).keys % places == 0;
    if (equal && problem.shape.keys >= places) all.push_back(places);
  }
  return all;
}

}  // namespace attestone::inline conformance
