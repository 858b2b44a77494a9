// SPDX-License-Identifier: Apache-2.0
// The barest problem that has a bound: one row of given scores and values, in an arithmetic that errs only where a test
// says so.
#pragma once

#include <string>
#include <vector>

#include "reference/numerics/numerics.hpp"
#include "tests/reference/error_bound/forward/one_row.hpp"

namespace attestone::emulation {

/// Numbers so exact that what errs in a test is only what the test declares.
Numerics faultless();

/// One row of attention in f64 with one channel, where key j scores `scores[j]`; and an arithmetic for it.
struct BareRow : OneRow {
  BareRow(const std::vector<double>& scores_of_keys, const std::vector<double>& values_of_keys,
          const std::string& terms = "")
      : OneRow(scores_of_keys, values_of_keys, terms), scores(scores_of_keys), values(values_of_keys) {}

  std::vector<double> scores, values;
  Numerics numerics = faultless();
};

/// The exact answer, and its deterministic bound.
long double exact_answer(const BareRow&);
double bound_of(const BareRow&);

/// An error as a share of the two bounds.
struct BoundShares {
  double deterministic = 0, probabilistic = 0;
};
BoundShares shares(const BareRow&, long double answer);

/// Both shares are at least `least`, and at most 1. Prints them under the name of the test.
void expect_reached(const BareRow&, long double answer, const BoundShares& least);

}  // namespace attestone::emulation
