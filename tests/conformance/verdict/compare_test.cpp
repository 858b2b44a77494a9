// SPDX-License-Identifier: Apache-2.0
// Comparing: the worst element is found where it was put, weak cases are told, and sums do not depend on threads.
#include "conformance/verdict/compare.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <omp.h>

#include "tests/conformance/verdict/judged_problem.hpp"

namespace attestone {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Compare, AcceptsTheRoundedTruth) {
  Judged judged("shape=2x2x9x20x16 mask=causal dtype=bf16");
  const Comparison comparison = judged.compare();
  EXPECT_TRUE(comparison.conforms());
  EXPECT_TRUE(comparison.could_tell());
  EXPECT_LE(comparison.accuracy.max_ulp, 0.5);
  EXPECT_EQ(comparison.elements, 2 * 2 * 9 * 17);
}

TEST(Compare, FindsTheWrongElement) {
  Judged judged("shape=2x2x9x20x16 dtype=bf16");
  judged.answer.out.view().set(1, 0, 7, 3, 50);
  const Comparison comparison = judged.compare();
  EXPECT_FALSE(comparison.conforms());
  EXPECT_EQ(comparison.worst->tensor, "out");
  EXPECT_EQ(comparison.worst->batch, 1);
  EXPECT_EQ(comparison.worst->query, 7);
  EXPECT_EQ(comparison.worst->channel, 3);
  EXPECT_EQ(comparison.worst->got, 50);
  EXPECT_GT(comparison.accuracy.r_det, 1);
  EXPECT_GT(comparison.accuracy.r_prob, 1);
}

TEST(Compare, SaysWhereTheErrorsLie) {
  Judged judged("shape=2x4x40x20x16 dtype=bf16");
  for (index row = 8; row < 16; ++row)
    for (index c = 0; c < 4; ++c) judged.answer.out.view().set(1, 3, row, c, c == 0 ? nan : 50);
  const std::vector<TensorAccuracy> by_place = accuracy_by_place(judged.compare().errors);
  ASSERT_EQ(by_place.size(), 2u);
  EXPECT_EQ(by_place[0].where, "batch 1, head 3, queries 8-15, channels 0-3");
  EXPECT_EQ(by_place[0].all.elements, 2 * 4 * 40 * 16);
  EXPECT_EQ(by_place[0].all.beyond_bound, 8 * 4);
  EXPECT_EQ(by_place[0].all.max_ulp, judged.compare().accuracy.max_ulp) << "the finite ones, in the same unit";
  EXPECT_EQ(by_place[1].tensor, "log_sum_exp");
  EXPECT_EQ(by_place[1].all.beyond_bound, 0);
}

TEST(Compare, NoticesNaNWhereverItStands) {
  Judged judged("shape=1x1x9x20x16");
  judged.answer.log_sum_exp.view().set(0, 0, 4, 0, nan);
  const Verdict verdict = attestone::judged(judged.compare());
  EXPECT_EQ(verdict.outcome, Outcome::failed);
  EXPECT_EQ(verdict.reason, "wrong-non-finite");
}

/// A NaN that a row sees in its scores is asked for, though the row has no bounds; so is an infinity of V.
TEST(Compare, NoticesNaNAndInfinitiesThatAreMissing) {
  Judged score("shape=1x1x9x20x16", [](Inputs& inputs) { inputs.query.view().set(0, 0, 4, 3, nan); });
  EXPECT_TRUE(score.compare().conforms());
  EXPECT_TRUE(score.compare().could_tell());
  score.answer.out.view().set(0, 0, 4, 7, 0.5);
  EXPECT_EQ(attestone::judged(score.compare()).reason, "wrong-non-finite");

  Judged value("shape=1x1x9x20x16", [](Inputs& inputs) { inputs.value.view().set(0, 0, 2, 3, infinity); });
  EXPECT_TRUE(value.compare().conforms());
  for (const double wrong : {nan, -infinity, 3e38}) {
    value.answer.out.view().set(0, 0, 4, 3, wrong);
    EXPECT_EQ(attestone::judged(value.compare()).reason, "wrong-non-finite") << wrong;
  }
}

/// Rows that see no key are not special, though their log_sum_exp is infinite.
/// Whoever merges out - sigmoid (out - out_c) makes NaN of it, where there are two parts to merge.
TEST(Compare, TakesNanForAnInfinityOnlyFromThoseWhoMergeDifferences) {
  const auto reason = [](const char* problem, const char* declared) {
    Judged judged(
        problem, [](Inputs& inputs) { inputs.value.view().set(0, 0, 0, 3, infinity); }, declared);
    judged.answer.out.view().set(0, 0, 0, 3, nan);
    return attestone::judged(judged.compare()).reason;
  };
  EXPECT_EQ(reason("shape=1x1x1x20x16", "merge.form=sigmoid merge.parts=2"), "");
  EXPECT_EQ(reason("shape=1x1x1x20x16", "merge.form=rescaled_sums merge.parts=2"), "wrong-non-finite");
  EXPECT_EQ(reason("shape=1x1x1x20x16", "merge.form=sigmoid"), "wrong-non-finite");
  EXPECT_EQ(reason("shape=1x1x1x1x16", "merge.form=sigmoid merge.parts=2"), "wrong-non-finite");
}

TEST(Compare, KeepsEmptyRowsApartFromSpecialOnes) {
  Judged judged("shape=1x1x9x9x16 mask=causal&~window:0:0 fill=ties");
  EXPECT_TRUE(judged.compare().mean_would_pass);
}

TEST(BoundTable, KnowsAProbabilisticBoundOnceItIsAskedFor) {
  Judged judged("shape=1x1x3x40x16 dtype=bf16");
  const double at_least = judged.bounds.probabilistic_at_least(1, 5);
  const double itself = judged.bounds.probabilistic(1, 5);
  EXPECT_LE(at_least, itself);
  EXPECT_EQ(itself, judged.bound.row(0, 0, 1)->out_probabilistic(5));
  EXPECT_EQ(judged.bounds.probabilistic_at_least(1, 5), itself);
}

TEST(BoundTable, HasOneBoundOfMaxLogits) {
  Judged judged("shape=1x1x3x40x16 dtype=bf16 wants=max_logits");
  const double bound = judged.bound.row(0, 0, 1)->max_logits();
  EXPECT_EQ(judged.bounds.deterministic(1, max_logits_channel), bound);
  EXPECT_EQ(judged.bounds.probabilistic_at_least(1, max_logits_channel), bound);
  EXPECT_EQ(judged.bounds.probabilistic(1, max_logits_channel), bound);
}

TEST(Compare, TellsAWeakCase) {
  Judged tied("shape=1x1x9x20x16 fill=ties");
  EXPECT_TRUE(tied.compare().mean_would_pass);
  EXPECT_EQ(attestone::judged(tied.compare()).outcome, Outcome::inconclusive);
  Judged empty("shape=1x1x9x20x16 mask=~full");
  EXPECT_EQ(attestone::judged(empty.compare()).outcome, Outcome::passed);
}

TEST(Compare, DoesNotDependOnThreads) {
  Judged judged("shape=2x2x33x50x16 dtype=f16");
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const Comparison alone = judged.compare();
  omp_set_num_threads(4);
  const Comparison together = judged.compare();
  omp_set_num_threads(threads);
  EXPECT_EQ(alone.accuracy.r_prob, together.accuracy.r_prob);
  EXPECT_EQ(alone.accuracy.rmse, together.accuracy.rmse);
  EXPECT_EQ(alone.accuracy.p99_ulp, together.accuracy.p99_ulp);
}

}  // namespace
}  // namespace attestone
