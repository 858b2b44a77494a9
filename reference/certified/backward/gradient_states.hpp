// SPDX-License-Identifier: Apache-2.0
// From the sums of the first sweep to what the second sweep needs: softmax, delta, and proven coefficients of their
// errors (docs/certified.md, "Gradients").
#pragma once

#include "reference/certified/backward/gradient_tile.hpp"
#include "reference/certified/forward/double_certificate.hpp"

namespace attestone {

/// The keys that one row of queries reaches, with its own facts.
struct RowReach {
  VectorFacts query, dout;
  index keys = 0;  ///< visible ones
  index words = 0;
  double key_norm = 0, value_norm = 0;  ///< the largest of visible keys
  std::optional<double> sink;           ///< finite
};

/// The states of the rows of one kv head.
class GradientStates {
 public:
  /// `lowest bit`s: of all rows of K and of V.
  GradientStates(const Problem&, int key_lowest_bit, int value_lowest_bit);

  /// Fills one lane; errors are infinite where the premises of the theorem fail.
  void conclude(const RowReach&, const GradientSums&, index lane, RowStates&) const;

 private:
  RowMagnitudes magnitudes(const RowReach&) const;
  double slope_error(const Arithmetic&, const RowMagnitudes&) const;

  Shape shape_;
  double scale_;  ///< its magnitude
  std::optional<double> softcap_;
  int key_lowest_bit_, value_lowest_bit_;
  Arithmetic arithmetic_;
};

}  // namespace attestone
