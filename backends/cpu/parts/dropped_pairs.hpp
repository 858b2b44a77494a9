// SPDX-License-Identifier: Apache-2.0
// Dropout as the CPU kernels do it: dropped pairs are cleared in place, kept ones are scaled once, in the result.
#pragma once

#include "backends/cpu/simd/panel.hpp"
#include "backends/placement.hpp"
#include "reference/problem/problem.hpp"

namespace attestone::inline backends {

/// Which pairs of a problem are dropped (docs/rules.md, rule 7), by a Philox of the kernels' own.
class DroppedPairs {
 public:
  /// Drops pairs of a part of a larger problem, numbered as in the whole; null: of the whole.
  explicit DroppedPairs(const Problem&, const Placement* = nullptr);

  /// Sets values[j] to 0 where the pair of key first.key + j is dropped.
  void clear(const Pair& first, float* values, index count) const;
  /// Clears dropped pairs in a panel of weights [keys][32]: `first` is its first query with its first key.
  void clear_panel(const Pair& first, index keys, float* panel) const;
  /// 1 / (1 - rate), by which what is kept must still be multiplied; 1 without dropout.
  double factor() const { return factor_; }

 private:
  bool keeps(const Pair& of_the_whole) const;

  /// Clears dropped pairs in values[keys][stride] of so many queries of a part.
  void clear_placed(const Pair& first, index queries, index keys, float* values, index stride) const;

  const Placement* placement_;
  bool any_;
  double factor_;
  std::uint64_t seed_;
  std::uint32_t least_kept_;
};

}  // namespace attestone::inline backends
