// SPDX-License-Identifier: Apache-2.0
// Comparing: the worst element is found where it was put, weak cases are told, and sums do not depend on threads.
#include "conformance/compare.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include "conformance/fill.hpp"

namespace attestone {
namespace {

/// A problem with its truth, judged as its default class, and the truth itself as an answer.
struct Judged {
  explicit Judged(const char* text)
      : problem(parse_problem(text)),
        inputs(filled(problem)),
        numerics(default_numerics(problem.input, problem.output)),
        truth(certify_forward(problem, inputs)),
        bound(problem, inputs, numerics),
        bounds(problem, truth, bound),
        answer(problem) {
    const Shape& s = problem.shape;
    for (index b = 0; b < s.batch; ++b)
      for (index h = 0; h < s.heads; ++h)
        for (index i = 0; i < s.queries; ++i) {
          for (index c = 0; c < s.value_dim; ++c) answer.out.view().set(b, h, i, c, truth.out(b, h, i, c).rounded);
          answer.log_sum_exp.view().set(b, h, i, 0, truth.log_sum_exp(b, h, i).rounded);
        }
  }
  Comparison compare() { return attestone::compare(truth, bounds, answer, 0); }

  Problem problem;
  Inputs inputs;
  Numerics numerics;
  Truth truth;
  ForwardBound bound;
  BoundTable bounds;
  Outputs answer;
};

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
}

TEST(Compare, NoticesNaNWhereverItStands) {
  Judged judged("shape=1x1x9x20x16");
  judged.answer.log_sum_exp.view().set(0, 0, 4, 0, std::numeric_limits<double>::quiet_NaN());
  const Verdict verdict = attestone::judged(judged.compare());
  EXPECT_EQ(verdict.outcome, Outcome::failed);
  EXPECT_EQ(verdict.reason, "wrong-non-finite");
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
