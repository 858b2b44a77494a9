// SPDX-License-Identifier: Apache-2.0
// Which heads the members of a Ulysses group hold after its exchange.
#pragma once

#include <algorithm>

#include "backends/cpu/parts/interval.hpp"

namespace attestone::inline backends {

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
  /// The number of copies of each kv head.
  index copies() const { return copies_; }
  /// Copies of all kv heads.
  index kv_copies() const { return shape_.kv_heads * copies_; }
  /// The kv head of which this is a copy.
  index kv_head(index copy) const { return copy / copies_; }
  HeldHeads of(index member) const;
  /// Query heads of all members together, and what they read.
  index query_heads() const { return kv_heads() * (shape_.heads / kv_copies()); }
  index kv_heads() const;

  /// Into how many chunks the heads of every member can be cut, if so many are asked for: each has one at least.
  index chunks(index most) const { return std::clamp(kv_copies() / members_, index{1}, most); }
  /// The shards if every member has only this one of so many chunks of its heads. Chunks are equal for all members, but
  /// for the last ones, which are all that is left.
  HeadShards chunk(index number, index of) const;

 private:
  Shape shape_;
  index members_, copies_;
  index chunk_ = 0, of_chunks_ = 1;
};

}  // namespace attestone::inline backends
