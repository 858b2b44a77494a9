// SPDX-License-Identifier: Apache-2.0
// Which keys a row sees: asked once for a whole problem, then answered from bits.
#pragma once

#include <algorithm>
#include <vector>

#include "reference/problem.hpp"

namespace attestone {

class VisibleKeys {
 public:
  explicit VisibleKeys(const Problem&);

  bool sees(index batch, index query, index key) const {
    return bits_[at(batch, query) + static_cast<std::size_t>(key)];
  }
  index count(index batch, index query) const { return counts_[at(batch, query) / stride_]; }
  /// Whether some query sees no key; whether some query sees one.
  bool has_empty_row() const { return std::ranges::count(counts_, 0) > 0; }
  bool has_visible_pair() const { return std::ranges::count(counts_, 0) < std::ssize(counts_); }

 private:
  std::size_t at(index batch, index query) const {
    return static_cast<std::size_t>(batch * queries_ + query) * stride_;
  }

  index queries_;
  std::size_t stride_;  // keys, or 1 if there are none
  std::vector<bool> bits_;
  std::vector<index> counts_;
};

}  // namespace attestone
