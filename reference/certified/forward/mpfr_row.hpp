// SPDX-License-Identifier: Apache-2.0
// One row of attention in MPFR at a given precision, with intervals that are proven to hold the exact answers.
#pragma once

#include <vector>

#include "reference/certified/forward/row_task.hpp"
#include "reference/certified/numbers/number.hpp"

namespace attestone {

/// The row with relative errors of about 2^-precision times its condition. Has at least one key or a sink.
class MpfrRow {
 public:
  MpfrRow(const RowTask&, std::span<const index> keys, int precision);

  MpfrInterval out(index channel) const;
  MpfrInterval log_sum_exp() const;

 private:
  Number score(index key) const;
  MpfrInterval around(const Number& value, const Number& radius) const;
  /// Weights below 2^this, relative to the largest, count as lost: their products would be too small even for MPFR.
  static mpfr_exp_t lost_exponent();
  Number lost() const;

  const RowTask* task_;
  std::span<const index> keys_;
  mpfr_prec_t precision_;  ///< of the arithmetic: the asked one, and what the size of the scores takes away
  RowMagnitudes magnitudes_;
  Number largest_, total_;
  bool any_lost_ = false;
  std::vector<Number> weights_;  ///< of the keys, and of the sink if there is one
  RowCertificate bound_;
};

}  // namespace attestone
