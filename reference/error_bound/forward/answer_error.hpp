// SPDX-License-Identifier: Apache-2.0
// From the errors of weights, sums and denominator to the error of one output element, with every cross term
// (docs/tolerance.md, "Output").
#pragma once

#include <cmath>

#include "reference/error_bound/rounding.hpp"
#include "reference/numerics/output_stage.hpp"

namespace attestone {

/// One element of a row, in units in which the exact denominator is 1.
struct AnswerParts {
  double answer;       ///< |o_c|
  double moved;        ///< what wrong weights move the weighted mean by: sum p theta (v - o) / (1 + sum p theta)
  double numerator;    ///< error of the weighted sum itself, divided by the sum of the kernel's weights
  double denominator;  ///< relative error of the denominator's sum
  double division;     ///< relative error of dividing by it
};

/// The distance of the rounded quotient from o_c.
inline double answer_error(const AnswerParts& parts, const OutputStage& output) {
  if (!(parts.denominator < 1)) return infinity;
  const double mean = parts.answer + parts.moved;
  const double quotient = (mean * parts.denominator + parts.numerator) / (1 - parts.denominator);
  const double error = parts.moved + quotient + parts.division * (mean + quotient);
  return error + output.cast.roundoff * (parts.answer + error) + output.cast.underflow + output.accumulator.underflow;
}

}  // namespace attestone
