// SPDX-License-Identifier: Apache-2.0
// Which heads the members of a Ulysses group hold after its exchange.
#pragma once

#include "backends/cpu/parts/interval.hpp"

namespace attestone {

/// Query heads that a rank holds, and what they read: kv heads, or copies of them.
struct HeldHeads {
  Interval query, kv;
};

/// The kv heads, each so many times, are dealt in their order; sizes that do not divide differ by one, the first ones
/// are larger. Query heads go with what they read.
class HeadShards {
 public:
  HeadShards(const Shape& shape, index members, index copies) : shape_(shape), members_(members), copies_(copies) {}

  index members() const { return members_; }
  /// Of each kv head.
  index copies() const { return copies_; }
  /// Copies of all kv heads.
  index kv_copies() const { return shape_.kv_heads * copies_; }
  /// The kv head of which this is a copy.
  index kv_head(index copy) const { return copy / copies_; }
  HeldHeads of(index member) const;

 private:
  Shape shape_;
  index members_, copies_;
};

}  // namespace attestone
