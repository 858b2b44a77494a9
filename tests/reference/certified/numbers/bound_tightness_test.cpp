// SPDX-License-Identifier: Apache-2.0
// The theorem, one declared error at a time, against an emulated row that commits it on purpose: the certificate holds
// the error, and no more than the page says.
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "reference/certified/numbers/bound.hpp"
#include "tests/reference/certified/numbers/emulated_row.hpp"

namespace attestone {
namespace {

constexpr double declared = 0x1p-24;

/// An arithmetic with one declared error, and how far that error moves a score.
struct ScoreError {
  const char* name;
  Arithmetic arithmetic;
  RowMagnitudes magnitudes;
  double moved;
};

ScoreError score_error(const char* name, double Arithmetic::*error, double declares, double RowMagnitudes::*magnitude,
                       double of) {
  ScoreError found{name, {}, {}, 3 * declared};
  found.arithmetic.*error = declares, found.magnitudes.*magnitude = of;
  found.magnitudes.value_peak = 1;
  return found;
}

std::vector<ScoreError> score_errors() {
  std::vector<ScoreError> all{
      score_error("q.k", &Arithmetic::dot_error, declared, &RowMagnitudes::raw_score, 3),
      score_error("scale", &Arithmetic::scale_error, declared, &RowMagnitudes::raw_score, 3),
      score_error("softcap", &Arithmetic::cap_error, declared, &RowMagnitudes::capped, 3),
      score_error("bias", &Arithmetic::bias_error, declared, &RowMagnitudes::biased, 3),
      score_error("underflow", &Arithmetic::smallest, declared * 0x1p-100, &RowMagnitudes::score_terms, 0x3p100),
      score_error("exp", &Arithmetic::exp_error, 3 * declared, &RowMagnitudes::terms, 0),
      score_error("q.k and scale", &Arithmetic::dot_error, 1, &RowMagnitudes::raw_score, declared)};
  all.back().arithmetic.scale_error = 1;  // (1 + 1) (1 + 1) - 1 = 3
  return all;
}

TEST(BoundTightness, ErrorsOfScoresMoveWeights) {
  for (const ScoreError& each : score_errors()) {
    const RowCertificate certificate = row_certificate(each.arithmetic, each.magnitudes);
    const Real up = each.moved, down = -each.moved;
    // Half against half: the term of the mean magnitude. A key against fifteen of value 0: that of |out|, too.
    const double opposed = shares(each.name, moved_weights(1, 1, -1, up, down), certificate).out;
    const double alone = shares(each.name, moved_weights(1, 15, 0, up, down), certificate).out;
    const double together = shares(each.name, moved_weights(2, 0, 0, up, up), certificate).log_sum_exp;
    for (const double share : {opposed, alone, together}) {
      EXPECT_LE(share, 1) << each.name;
      EXPECT_GE(share, 0.93) << each.name;
    }
  }
}

TEST(BoundTightness, ErrorsOfSumsAndDivisions) {
  Arithmetic sums{}, totals{}, divisions{};
  sums.sum_error = totals.total_error = divisions.unit = declared;
  EmulatedRow row = moved_weights(2, 0, 0, 0, 0);
  row.of_sum = 2 * declared;
  const CertifiedShares of_sums = shares("sum p v", row, row_certificate(sums, {}));
  row.of_sum = 0, row.of_total = declared;
  const CertifiedShares of_totals = shares("sum p", row, row_certificate(totals, {}));
  row.of_total = 0, row.of_division = declared;
  const CertifiedShares of_division = shares("division", row, row_certificate(divisions, {}));
  for (const double share : {of_sums.out, of_totals.out, of_totals.log_sum_exp}) {
    EXPECT_LE(share, 1);
    EXPECT_GE(share, 0.99);
  }
  EXPECT_NEAR(of_division.out, 0.5, 1e-3);  // one u for the division, one for what replaces |o'| by |out|
}

/// Weights below `lost_weight` beside one of 1/2; products that underflow beside it; both under dropout.
TEST(BoundTightness, LostWeightsAndUnderflow) {
  constexpr std::size_t keys = 200;
  EmulatedRow row = moved_weights(1, int{keys}, -1, 0, 0);
  row.value_factor = 100;
  row.exact[0] = row.computed[0] = 0.5;
  for (std::size_t key = 1; key <= keys; ++key) row.exact[key] = declared * 0x1p-20, row.computed[key] = 0;
  RowMagnitudes magnitudes;
  magnitudes.value_peak = 1, magnitudes.value_factor = row.value_factor, magnitudes.terms = keys;
  Arithmetic losing{}, underflowing{};
  losing.lost_weight = declared * 0x1p-20;
  const CertifiedShares lost = shares("lost weights", row, row_certificate(losing, magnitudes));
  EXPECT_NEAR(lost.out, 0.25, 1e-3);  // 2 |v| over 1/2 each; four times that for tiles that are rescaled, and room
  EXPECT_NEAR(lost.log_sum_exp, 0.125, 1e-3);
  for (std::size_t key = 1; key <= keys; ++key) row.exact[key] = 0;
  underflowing.smallest = declared;
  row.of_sum = keys * declared / 2;
  EXPECT_NEAR(shares("underflow", row, row_certificate(underflowing, magnitudes)).out, 0.25, 1e-3);
  magnitudes.value_peak = 0;
  EXPECT_EQ(row_certificate(underflowing, magnitudes).absolute, 0) << "0 times anything is 0";
}

/// Where the premise only just holds, the second order is as large as it may be.
TEST(BoundTightness, PremiseAndMargin) {
  constexpr double premise = 0x1p-22, below = premise * (1 - 0x1p-17), above = premise * (1 + 0x1p-17);
  for (double Arithmetic::*member : {&Arithmetic::exp_error, &Arithmetic::sum_error, &Arithmetic::total_error}) {
    Arithmetic arithmetic{};
    arithmetic.*member = below;
    EXPECT_TRUE(std::isfinite(row_certificate(arithmetic, {}).by_out));
    arithmetic.*member = above;
    const RowCertificate nothing = row_certificate(arithmetic, {});
    for (const double each :
         {nothing.weight, nothing.by_mean, nothing.by_out, nothing.absolute, nothing.by_log_sum_exp})
      EXPECT_EQ(each, HUGE_VAL);
  }
  Arithmetic arithmetic{};
  arithmetic.exp_error = below;
  EmulatedRow row = moved_weights(1, 0, 0, 0, 0);
  row.computed[0] /= Real(1) - below;
  const double share = shares("second order", row, row_certificate(arithmetic, {})).log_sum_exp;
  EXPECT_LE(share, 1);
  EXPECT_GT(share * (1 + 0x1p-18) * (1 + 0x1p-18), 1) << "without margins the bound would be too small";
}

}  // namespace
}  // namespace attestone
