// SPDX-License-Identifier: Apache-2.0
// The theorem's first instance: what the blocked double tiles guarantee.
#pragma once

#include <optional>

#include "reference/certified/forward/row_tile.hpp"
#include "reference/certified/numbers/bound.hpp"

namespace attestone {

/// The errors of double arithmetic that do not depend on the row; 0 for those that do.
Arithmetic double_arithmetic(const Problem&);
/// |computed x.y - x.y| <= this * |x| |y|, given |x| |y| or more, and that x and y are multiples of powers of two whose
/// product is 2^least_bit: a dot product summed in chunks, which is exact if it fits into a double's bits.
double dot_product_error(index channels, double norms, int least_bit);

/// The certificates of the rows of one kv head.
class DoubleCertificates {
 public:
  DoubleCertificates(const Problem&, const DecodedHead&);

  /// The row in this lane, the head being concluded. Infinite coefficients where its exponent is beyond exponent_limit.
  RowCertificate operator()(const VectorFacts& query, const TileSums&, index lane) const;

 private:
  const DecodedHead& head_;
  double scale_;  ///< its magnitude
  std::optional<double> softcap_;
  double keep_factor_;     ///< 1 / (1 - rate)
  double division_error_;  ///< of 1 - rate and of its product with sum p
  Arithmetic arithmetic_;  ///< but for what depends on the row
};

}  // namespace attestone
