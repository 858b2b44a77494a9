// SPDX-License-Identifier: Apache-2.0
// The words for sizes and places: shape, sequence, pair.
#pragma once

#include <cstdint>

namespace attestone {

using index = std::int64_t;

/// The extents of one attention problem. Query is [batch, heads, queries, dim], key [batch, kv_heads, keys, dim],
/// value [batch, kv_heads, keys, value_dim], out [batch, heads, queries, value_dim], log_sum_exp [batch, heads,
/// queries, 1]. queries and keys may be 0; the others are at least 1, and heads is a multiple of kv_heads.
struct Shape {
  index batch = 1, heads = 1, kv_heads = 1, queries = 1, keys = 1, dim = 1, value_dim = 1;

  /// The kv head that query head `head` reads (docs/rules.md, rule 2).
  index kv_head(index head) const { return head / (heads / kv_heads); }
  index rows() const { return batch * heads * queries; }

  bool operator==(const Shape&) const = default;
};

/// The lengths that one sequence of a padded batch really has; masks align by these, not by the shape.
struct Sequence {
  index queries = 0, keys = 0;

  /// The key position of `query`: the last query stands at the last key (docs/rules.md, rule 3). May be negative.
  index position(index query) const { return query + keys - queries; }
};

/// One entry of the score matrix.
struct Pair {
  index batch = 0, head = 0, query = 0, key = 0;
};

}  // namespace attestone
