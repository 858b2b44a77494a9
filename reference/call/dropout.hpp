// SPDX-License-Identifier: Apache-2.0
// Dropout: which pairs keep their weight (docs/rules.md, rule 7).
#pragma once

#include "reference/problem/problem.hpp"

namespace attestone {

/// Pair (b, h, i, j) is kept when the first word of Philox4x32-10 with counter (b, h, i, j) and the problem's seed as
/// key is at least floor(rate * 2^32). Forward, backward and every split of the keys agree, since nothing else enters.
class Dropout {
 public:
  explicit Dropout(const Problem&);

  /// True if any pair can be dropped.
  explicit operator bool() const { return rate_ > 0; }
  bool keeps(const Pair&) const;
  /// 1 / (1 - rate), the factor of a weight that is kept, as the nearest double.
  double factor() const { return 1 / (1 - rate_); }

 private:
  double rate_;
  std::uint64_t seed_;
  std::uint32_t threshold_;
};

}  // namespace attestone
