// SPDX-License-Identifier: Apache-2.0
// Correct kernels at their worst: an arithmetic in which every operation errs by what was declared, and nothing by
// more.
//
// Rounding to nearest reaches its u only now and then; faithful rounding, which may go either way, reaches nearly 2 u.
// Written from the description of the arithmetic only: nothing here is shared with reference/error_bound/.
#pragma once

#include "tests/reference/error_bound/forward/bare_row.hpp"

namespace attestone::emulation {

/// The share of its declared error that each operation makes, and its direction: between -1 and 1.
struct Errors {
  std::vector<double> scores = {}, exponentials = {}, casts = {};  ///< by key; none if empty
  double operands = 0;                                             ///< of p and v before the product
  double dropout = 0;                                              ///< of the rate, and of what is done with the factor
  double products = 0;                                             ///< p v
  double additions = 0;                                            ///< of p v; a sum never errs by more than the addend
  double denominator = 0;                                          ///< additions of p
  double rescalings = 0;                                           ///< of both sums
  double division = 0, output = 0;
  double tiny = 0;     ///< sums below the normal range
  bool flush = false;  ///< weights below the normal range, or that of their cast, are zero
};

/// Online softmax, sums in the order of the keys.
long double worst_answer(const BareRow&, const Errors&);

void expect_reached(const BareRow&, const Errors&, const BoundShares& least);

}  // namespace attestone::emulation
