// SPDX-License-Identifier: Apache-2.0
// Correct kernels at their worst: an arithmetic in which every operation errs by what was declared, and nothing by more.
//
// Rounding to nearest reaches its u only now and then; faithful rounding, which may go either way, reaches nearly 2 u.
// Written from the description of the arithmetic only: nothing here is shared with reference/error_bound/.
#pragma once

#include <string>
#include <vector>

#include "reference/numerics/numerics.hpp"
#include "reference/tensors.hpp"

namespace attestone::emulation {

/// Numbers so exact that what errs in a test is only what the test declares.
Numerics faultless();

/// One row of attention in f64 with one channel, where key j scores `scores[j]`; and an arithmetic for it.
struct BareRow {
  BareRow(const std::vector<double>& scores, const std::vector<double>& values, const std::string& terms = "");

  std::vector<double> scores, values;
  Problem problem;
  Inputs inputs;
  Numerics numerics = faultless();
};

/// What share of the declared error the operations make, and in which direction: between -1 and 1.
struct Errors {
  std::vector<double> scores = {}, exponentials = {}, casts = {};  ///< by key; none if empty
  double operands = 0;     ///< of p and v before the product
  double dropout = 0;      ///< of the rate, and of what is done with the factor
  double products = 0;     ///< p v
  double additions = 0;    ///< of p v; a sum never errs by more than the addend
  double denominator = 0;  ///< additions of p
  double rescalings = 0;   ///< of both sums
  double division = 0, output = 0;
  double tiny = 0;     ///< sums below the normal range
  bool flush = false;  ///< weights below the normal range, or that of their cast, are zero
};

/// The answer, and what it should be.
long double worst_answer(const BareRow&, const Errors&);
long double exact_answer(const BareRow&);

/// What the answer may be off by, in any case.
double bound_of(const BareRow&);

/// An error as a share of the two bounds.
struct BoundShares {
  double deterministic = 0, probabilistic = 0;
};
BoundShares shares(const BareRow&, long double answer);

/// Both shares are at least `least`, and at most 1. Prints them under the name of the test.
void expect_reached(const BareRow&, long double answer, const BoundShares& least);
void expect_reached(const BareRow&, const Errors&, const BoundShares& least);

}  // namespace attestone::emulation
