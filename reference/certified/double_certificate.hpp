// SPDX-License-Identifier: Apache-2.0
// The theorem's first instance: what the blocked double tiles guarantee.
#pragma once

#include <optional>

#include "reference/certified/bound.hpp"
#include "reference/certified/row_tile.hpp"

namespace attestone {

/// The certificates of the rows of one kv head.
class DoubleCertificates {
 public:
  DoubleCertificates(const Problem&, const DecodedHead&);

  /// Of the row in this lane; the head is concluded. Infinite coefficients where scores are beyond score_limit.
  /// `sink`: 0 without one.
  RowCertificate operator()(const VectorFacts& query, const TileSums&, index lane, double sink) const;

 private:
  const DecodedHead& head_;
  double scale_;  ///< its magnitude
  std::optional<double> softcap_;
  double keep_factor_;     ///< 1 / (1 - rate)
  double division_error_;  ///< of 1 - rate and of its product with sum p
  double dot_error_;       ///< where dot products are not exact
  Arithmetic arithmetic_;  ///< but for what depends on the row
};

}  // namespace attestone
