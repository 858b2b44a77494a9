// SPDX-License-Identifier: Apache-2.0
// What merges add to the errors of weights, against docs/tolerance.md, "Merges", worked out apart.
#include <cmath>
#include <gtest/gtest.h>

#include "reference/error_bound/forward/row_weights.hpp"

namespace attestone {
namespace {

constexpr double u = 0x1p-20, u_score = 0x1p-18, exp_error = 0x1p-10;

double several(double n, double r) { return n * r / (1 - n * r); }
void expect_near(double got, double expected) { EXPECT_NEAR(got / expected, 1, 1e-12) << got << " " << expected; }

Numerics some_errors() {
  Numerics numerics;
  numerics.weight.accumulator = {.roundoff = u, .underflow = 0x1p-126};
  numerics.weight.exp_error = exp_error;
  numerics.weight.tile_keys = 1;
  numerics.score.accumulator.roundoff = u_score;
  return numerics;
}

/// Keys of the given scores, all with this error, of which half comes from the sum q.k and a quarter from storage.
RowScores keys(const std::vector<double>& score, double error) {
  RowScores row;
  row.score.assign(score.begin(), score.end());
  for (std::size_t j = 0; j < score.size(); ++j) row.keys.push_back(static_cast<index>(j));
  row.error.assign(score.size(), error);
  row.chain.assign(score.size(), error / 2);
  row.stored.assign(score.size(), error / 4);
  for (auto* list : {&row.magnitude, &row.bias}) list->assign(score.size(), 0.0);
  return row;
}

/// Merging adds an exponent, a maximum that was rounded up, and errors that nothing divides by.
TEST(MergedWeights, MergesJoin) {
  Numerics numerics = some_errors();
  numerics.weight.tile_keys = 0;
  numerics.merge.form = MergeForm::late_correction;
  numerics.merge.parts = 3;
  numerics.merge.exp_error = 0x1p-12;
  numerics.merge.log_error = 0x1p-11;
  numerics.merge.log_sum_exp_roundoff = 0x1p-9;
  const RowWeights row = row_weights(keys({4, 4, 4}, 0), numerics, 8);
  EXPECT_EQ(row.reach, 4 + 0x1p-7);
  const double step = row.merges.log_step[0], late = row.merges.late[0];
  expect_near(row.exponent[0], several(2, u) * 0x1p-7 + exp_error + row.merges.exponent[0]);
  expect_near(row.merged_log_error, 2 * step);  // all steps err alike: their mean is no larger
  expect_near(row.late_factors, std::exp(late + 2 * step) - 1);
  // One step that errs more than the others: by the weight of its keys, at most.
  numerics.merge.accumulator.roundoff = 0x1p-12;
  const RowWeights steep = row_weights(keys({-40, 4, 4}, 0), numerics, 8);
  const double most = steep.upper[0] * steep.merges.log_step[0] + 2 * steep.upper[1] * steep.merges.log_step[1];
  const double summing = several(3, u);
  const double mean = most * (1 + summing) / (1 - summing) / (1 - steep.total_error);
  EXPECT_LT(mean, steep.merges.log_step[0]);
  expect_near(steep.merged_log_error, 2 * mean);
  numerics.merge.form = MergeForm::sigmoid;
  const RowWeights sigmoid = row_weights(keys({4, 4, 4}, 0), numerics, 8);
  EXPECT_EQ(sigmoid.merged_log_error + sigmoid.late_factors, 0);
}

/// Parts that are rescaled are rescaled in the arithmetic of merges.
TEST(MergedWeights, ArgumentsAreRoundedInTheCoarserStage) {
  Numerics numerics = some_errors();
  numerics.weight.tile_keys = 0;
  numerics.merge.parts = 2;
  numerics.merge.accumulator.roundoff = 0x1p-12;
  for (const MergeForm form : {MergeForm::rescaled_sums, MergeForm::sigmoid}) {
    numerics.merge.form = form;
    const RowWeights row = row_weights(keys({0, -8}, 0), numerics, 8);
    const double roundoff = form == MergeForm::rescaled_sums ? 0x1p-12 : u;
    expect_near(row.exponent[1] - row.merges.exponent[1], several(2, roundoff) * 8 + exp_error);
  }
}

}  // namespace
}  // namespace attestone
