// SPDX-License-Identifier: Apache-2.0
// Biases by formula: what they add grows with the distance between a key and the query's own position.
#pragma once

#include <optional>
#include <string>

#include "backends/kernel.hpp"

namespace attestone::inline backends {

/// The formula of one head. In a part of a larger problem, heads and rows have the numbers of the whole.
class FormulaBias {
 public:
  /// Everything that it adds is multiplied by `unit`.
  FormulaBias(const Problem&, const KernelInputs&, index batch, index head, double unit);
  /// The rule of a bias by formula that is none of those known here, alibi and relative_position.
  static std::optional<std::string> unknown_rule(const Score&);

  /// True if there is such a bias at all.
  explicit operator bool() const { return alibi_slope || relative_slope; }
  /// The key position of a query.
  index position(index query) const {
    return shift_ + (placed_ ? placed_->queries[static_cast<std::size_t>(query)] : query);
  }
  /// The positions of keys from this one on; null where they are the keys' own numbers.
  const index* key_positions(index first) const { return placed_ ? placed_->keys.data() + first : nullptr; }

  std::optional<double> alibi_slope;     ///< of -|key - position|
  std::optional<double> relative_slope;  ///< of key - position

 private:
  index shift_;                   ///< the key position of query 0
  const PlacedSequence* placed_;  ///< null: the whole
};

/// The slope of ALiBi (Press et al., arXiv 2108.12409, section 3), as f32.
float own_alibi_slope(index head, index heads);

}  // namespace attestone::inline backends
