// SPDX-License-Identifier: Apache-2.0
// Attention straight from its definition in MPFR, one row at a time; shares no code with reference/certified.
#pragma once

#include <memory>
#include <mpfr.h>
#include <vector>

#include "reference/tensors.hpp"

namespace attestone {

/// One exact number, known to about 600 bits relative to the sums it came from.
class OracleNumber {
 public:
  OracleNumber();
  OracleNumber(const OracleNumber&) = delete;
  OracleNumber& operator=(const OracleNumber&) = delete;
  ~OracleNumber();

  /// What its terms add up to without cancellation: the oracle itself errs by less than 2^-600 of this.
  double magnitude = 0;

  /// |value - exact|, rounded to nearest.
  double distance(double value) const;
  /// Whether `candidate` is a correct rounding to the format of a number within the oracle's own error.
  bool rounds_to(double candidate, const DType&) const;

  struct State;
  State* state() { return state_.get(); }

 private:
  std::unique_ptr<State> state_;
};

/// Makes `number` what an oracle found.
void set(OracleNumber& number, mpfr_srcptr value, double magnitude);

/// The answer of one row; rows without keys and sink have no numbers.
struct OracleRow {
  index keys = 0;  ///< visible ones
  bool has_sink = false;
  std::vector<std::unique_ptr<OracleNumber>> out;
  std::unique_ptr<OracleNumber> log_sum_exp;
};

OracleRow oracle_row(const Problem&, const Inputs&, index batch, index head, index query);

}  // namespace attestone
