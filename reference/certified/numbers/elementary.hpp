// SPDX-License-Identifier: Apache-2.0
// exp, tanh and log in double arithmetic, with proven relative errors (docs/certified.md, "Elementary functions").
#pragma once

#include <span>

#include "reference/tensor/floating_point_environment.hpp"

namespace attestone {

constexpr double unit_double = 0x1p-53;  ///< u: the unit roundoff of double

/// |computed e^s - e^s| <= this * e^s, for |s| <= score_limit.
constexpr double exp_error = 4 * unit_double;
/// |computed tanh z - tanh z| <= this * |tanh z|, for every finite z.
constexpr double tanh_error = 12 * unit_double;
/// |computed ln x - ln x| <= this * |ln x|, for every normal x.
constexpr double log_error = 8 * unit_double;

/// Scores of at most this magnitude have |n| < 2^21, n the rounded s / ln 2: so far the range reduction of exp is exact
/// where it must be.
constexpr double score_limit = 0x1.6p20;
/// Rows whose largest n is of larger magnitude are left to MPFR. In all others every weight that is not lost has a
/// score within score_limit, and lower ones are lost, however low they are: exp_shifted makes them exactly 0.
constexpr double exponent_limit = 0x1.8p20;
/// Scores below this are lost in every row whose exponent is within that limit.
constexpr double least_score = -0x1p21;
/// Weights below 2^this, relative to a weight of the row, count as lost.
constexpr int lost_weight_exponent = -1000;

/// ln 2 = ln2_high + ln2_low + a rest below 2^-86. The first has 32 bits, so that n * ln2_high is exact for |n| < 2^21.
constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
/// Splits ln 2 with a second part of 32 bits: ln2_high + ln2_middle + ln2_rest, and a rest below 2^-119.
constexpr double ln2_middle = 0x1.a39ef356p-33, ln2_rest = 0x1.93c7673007e5fp-65;

/// The vector code that the row tiles inline, over whole arrays: what its test looks at. |s| <= 690 and normal x > 0
/// here.
void exp_certified(std::span<const double> s, std::span<double> result);
void tanh_certified(std::span<const double> z, std::span<double> result);
void log_certified(std::span<const double> x, std::span<double> result);

}  // namespace attestone
