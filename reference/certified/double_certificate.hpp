// SPDX-License-Identifier: Apache-2.0
// The theorem's first instance: what the sums of a row tile prove.
#pragma once

#include "reference/certified/bound.hpp"
#include "reference/certified/enclosure.hpp"
#include "reference/certified/row_tile.hpp"

namespace attestone {

/// The certificate of one lane of a tile; `query` tells of its query row.
RowCertificate double_certificate(const Problem&, const DecodedHead&, const VectorFacts& query, const TileSums&,
                                  index lane);

/// value +- bound, or all real numbers if either is not finite.
Enclosure enclosed(double value, double bound);

/// exponent ln 2 + ln total, given the certificate of the total.
Enclosure enclosed_log_sum_exp(double exponent, double total, const RowCertificate&);

}  // namespace attestone
