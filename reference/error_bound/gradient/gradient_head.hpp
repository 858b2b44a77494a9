// SPDX-License-Identifier: Apache-2.0
// One query head of a backward pass: its rows, and which of them reach each key.
#pragma once

#include <vector>

#include "reference/error_bound/gradient/gradient_row.hpp"
#include "reference/error_bound/gradient/gradient_sum.hpp"

namespace attestone {

/// A pair, by the place of its row in GradientHead::rows() and that of its key among the row's.
struct PairPlace {
  std::size_t row, entry;
};

/// True if several threads finish the work of a head sooner than one thread.
bool is_worth_threads(const Shape&);

/// The bounds of all gradients of one query head.
class GradientHead {
 public:
  /// Inputs and numerics must outlive it.
  GradientHead(const DecodedInputs&, const Numerics&, index batch, index head);

  const std::vector<GradientRowBound>& rows() const { return rows_; }

  /// The bounds of dQ of one row.
  void bound_query(index query, ElementBounds&) const;
  /// The share of this head in dK and dV of one key, channel by channel.
  std::vector<GradientSum> key_sums(index key) const;
  std::vector<GradientSum> value_sums(index key) const;
  /// The share of one pair in the gradient of its bias.
  GradientSum bias_sum(const PairPlace&) const;
  /// The share of this head in the gradient of its sink.
  GradientSum sink_sum() const;

 private:
  /// How far casting each of these keys may move all of its channels alike; none where K is not cast.
  std::vector<double> moved_keys(const GradientRowBound&, std::span<const std::size_t> order) const;
  /// Adds the errors that the cast of one channel of the keys causes in dQ.
  void add_moved(const GradientAddends&, std::span<const double> k, std::span<const double> moved, GradientSum&) const;

  const DecodedInputs& inputs_;
  const Numerics& numerics_;
  index batch_, head_;
  double scale_;
  std::vector<GradientRowBound> rows_;
  std::vector<std::vector<double>> queries_;   ///< Q of each row
  std::vector<std::vector<PairPlace>> pairs_;  ///< of each key
};

}  // namespace attestone
