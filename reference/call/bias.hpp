// SPDX-License-Identifier: Apache-2.0
// The bias of each pair, whether a formula or a tensor gives it.
#pragma once

#include <optional>

#include "reference/call/tensors.hpp"

namespace attestone {

/// The bias of a problem's capped scores; the inputs must outlive this object. -infinity hides a pair.
class Bias {
 public:
  Bias(const Problem&, const Inputs&);

  /// True if there is a bias at all.
  explicit operator bool() const { return formula_ || tensor_; }
  /// Adds to row[i] the bias of key first.key + i; exact where row[i] is 0.
  void add_to(const Pair& first, std::span<double> row) const;
  double of(const Pair&) const;

 private:
  Problem problem_;
  const BiasRule* formula_ = nullptr;
  double argument_ = 0;
  std::optional<ConstView> tensor_;  ///< [batch, heads, queries, keys], broadcast
};

}  // namespace attestone
