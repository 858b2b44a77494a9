// SPDX-License-Identifier: Apache-2.0
// The rules by which numbers become codes, as a judge reads them: every step by its definition, in double, rounded.
#pragma once

#include "reference/numerics/operand_codes.hpp"

namespace attestone {

/// The result of a rule for the numbers of one group. Steps are those of f32: IEEE products, sums and quotients.
class CodeGroup {
 public:
  /// Makes a group of this largest size, a finite number of f32.
  CodeGroup(CodeRule, double largest);

  /// The factor of all codes.
  double scale() const { return scale_; }
  /// The number that x is read as: that of its code, times the scale. Exact; that of 0 is 0.
  double read(double x) const;
  /// How far from read(x) a kernel's number may be whose quotients are off by this share of themselves.
  double slack(double x, double quotient_error) const;

 private:
  CodeRule rule_;
  double largest_, scale_;
};

}  // namespace attestone
