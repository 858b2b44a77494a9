// SPDX-License-Identifier: Apache-2.0
// Which pairs take part: asked once for a whole problem, then answered from bytes.
#pragma once

#include <span>
#include <vector>

#include "reference/call/tensors.hpp"

namespace attestone {

/// The visible pairs of a problem, 1 or 0: the boolean mask tensor [batch, heads, queries, keys] as kernels take it.
class VisiblePairs {
 public:
  /// By mask and lengths.
  explicit VisiblePairs(const Problem&);
  /// By mask, lengths, and biases of -infinity.
  VisiblePairs(const Problem&, const Inputs&);
  /// Takes the pairs from given bytes [batch, heads, queries, keys], with 1 for heads if all of them see the same.
  VisiblePairs(const Extents&, std::vector<std::uint8_t> bytes);

  /// One byte for each key.
  std::span<const std::uint8_t> row(index batch, index head, index query) const {
    return std::span(bytes_).subspan(place(batch, head, query) * keys_, keys_);
  }
  bool operator()(const Pair& at) const {
    return row(at.batch, at.head, at.query)[static_cast<std::size_t>(at.key)] != 0;
  }
  /// The number of heads whose rows are kept: 1 if all of them see the same.
  index heads() const { return heads_; }
  /// How many keys a query sees.
  index count(index batch, index head, index query) const { return counts_[place(batch, head, query)]; }

 private:
  std::size_t place(index batch, index head, index query) const {
    return static_cast<std::size_t>((batch * heads_ + (heads_ == 1 ? 0 : head)) * queries_ + query);
  }
  void count_rows();

  index heads_, queries_;
  std::size_t keys_;
  std::vector<index> counts_;
  std::vector<std::uint8_t> bytes_;
};

/// True if some query sees no key, by mask and lengths; and if some query sees one. Both work in little memory, and
/// quickly where queries see keys near their own position.
bool has_empty_row(const Problem&);
bool has_visible_pair(const Problem&);

}  // namespace attestone
