// SPDX-License-Identifier: Apache-2.0
// Attention straight from its definition in MPFR, one row at a time; shares no code with reference/certified.
#pragma once

#include <memory>
#include <vector>

#include "reference/call/tensors.hpp"
#include "reference/certified/numbers/mpfr.hpp"

namespace attestone {

/// One exact number, known up to 2^-600 of its magnitude. The magnitude is the sum of its terms without cancellation;
/// it may be beyond double although the number is not.
class OracleNumber {
 public:
  OracleNumber();
  OracleNumber(const OracleNumber&) = delete;
  OracleNumber& operator=(const OracleNumber&) = delete;
  ~OracleNumber();

  /// |value - exact|, rounded away from 0.
  double distance(double value) const;
  /// True if the exact number may be as near as `bound` to `value`, given the oracle's own error.
  bool may_be_within(double bound, double value) const;
  /// True if the oracle knows the number so well that a ratio to this bound means something.
  bool is_finer_than(double bound) const;
  /// True if `candidate` is a correct rounding to the format of a number within the oracle's own error.
  bool rounds_to(double candidate, const DType&) const;

  struct State;
  State* state() { return state_.get(); }

 private:
  std::unique_ptr<State> state_;
};

/// Sets `number` to the value and the magnitude that an oracle found.
void set(OracleNumber& number, mpfr_srcptr value, mpfr_srcptr magnitude);

/// The answer of one row; rows without keys and sink have no numbers.
struct OracleRow {
  index keys = 0;  ///< visible ones
  bool has_sink = false;
  std::vector<std::unique_ptr<OracleNumber>> out;
  std::unique_ptr<OracleNumber> log_sum_exp;
  std::unique_ptr<OracleNumber> max_logits;  ///< the largest score of a key; none in a row without keys
};

OracleRow oracle_row(const Problem&, const Inputs&, index batch, index head, index query);

}  // namespace attestone
