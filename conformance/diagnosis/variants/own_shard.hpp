// SPDX-License-Identifier: Apache-2.0
// The shards of a ring, as far as its wrong variants need them.
#pragma once

#include <vector>

#include "reference/problem.hpp"

namespace attestone {

/// The key of a query's own place that stands where a key stands in its shard; a ring deals neighbouring rows, and as
/// many keys to each place.
class OwnShard {
 public:
  OwnShard(const Problem& problem, index places) : problem_(problem), places_(places) {}

  index key(const Pair& at) const {
    const Sequence real = problem_.sequence(at.batch);
    const index keys = real.keys / places_;
    return place_of(at.query, real.queries) * keys + at.key % keys;
  }

 private:
  /// The first places have one row more, where rows cannot be dealt evenly.
  index place_of(index row, index rows) const {
    const index few = rows / places_, longer = rows % places_, behind = row - longer * (few + 1);
    return behind < 0 ? row / (few + 1) : longer + behind / few;
  }

  Problem problem_;
  index places_;
};

/// The numbers of places among which the keys of every sequence can be dealt so.
inline std::vector<index> places_of_equal_shards(const Problem& problem) {
  std::vector<index> all;
  for (const index places : {2, 3, 4, 5, 6, 8}) {
    bool equal = true;
    for (index batch = 0; batch < problem.shape.batch; ++batch) equal &= problem.sequence(batch).keys % places == 0;
    if (equal && problem.shape.keys >= places) all.push_back(places);
  }
  return all;
}

}  // namespace attestone
