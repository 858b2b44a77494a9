// SPDX-License-Identifier: Apache-2.0
// Whether an answer conforms, asked alone: what a whole comparison says of it.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "tests/conformance/verdict/judged_problem.hpp"

namespace attestone {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

bool conforms_alone(const Judged& judged) {
  return conforms(judged.problem, judged.truth, judged.bound, judged.answer);
}

View tensor_of_channel(Outputs& answer, index channel) {
  if (channel >= 0) return answer.out.view();
  return channel == log_sum_exp_channel ? answer.log_sum_exp.view() : answer.max_logits->view();
}

/// Elements that are off by shares of their two bounds: where only sorting tells, and where either bound decides. All
/// else is the rounded truth, which in bf16 settles a row.
TEST(Conforms, SaysWhatAComparisonSays) {
  int conforming = 0, failing = 0;
  for (const char* text : {"shape=1x2x5x130x8 dtype=bf16>f32", "shape=1x2x5x200x8", "shape=2x1x4x9x3 score=softcap:5",
                           "shape=1x1x6x90x4 mask=causal dtype=f16>f32", "shape=1x2x5x40x8 dtype=bf16"})
    for (const index channel : {max_logits_channel, log_sum_exp_channel, index{0}, index{2}})
      for (const double share : {0.2, 0.5, 0.8, 0.9, 0.98, 1.0, 1.02, 1.1, 1.5, 4.0}) {
        Judged judged((text + std::string(" wants=out+log_sum_exp+max_logits")).c_str());
        const std::size_t place = judged.bounds.places().size() - 1;
        const RowPlace& at = judged.bounds.places()[place];
        const View view = tensor_of_channel(judged.answer, channel);
        const double right = judged.truth.element(at.batch, at.head, at.row, channel).value;
        // Below both bounds, between them, beyond both.
        const double likely = judged.bounds.probabilistic(place, channel);
        const double certain = judged.bounds.deterministic(place, channel);
        const double allowed = share < 1 ? likely : share > 1 ? certain : (likely + certain) / 2;
        view.set(at.batch, at.head, at.query, std::max<index>(channel, 0), right + share * allowed);
        EXPECT_EQ(conforms_alone(judged), judged.compare().conforms()) << text << ", " << channel << ", " << share;
        (judged.compare().conforms() ? conforming : failing) += 1;
      }
  EXPECT_GT(conforming, 40);
  EXPECT_GT(failing, 40);
}

TEST(Conforms, NoticesWhatIsNotFinite) {
  Judged judged("shape=1x1x9x20x16");
  EXPECT_TRUE(conforms_alone(judged));
  for (const double wrong : {nan, infinity}) {
    Judged out("shape=1x1x9x20x16"), log_sum_exp("shape=1x1x9x20x16"), maximum("shape=1x1x9x20x16 wants=max_logits");
    out.answer.out.view().set(0, 0, 8, 15, wrong);
    log_sum_exp.answer.log_sum_exp.view().set(0, 0, 0, 0, wrong);
    maximum.answer.max_logits->view().set(0, 0, 0, 0, wrong);
    EXPECT_FALSE(conforms_alone(out));
    EXPECT_FALSE(conforms_alone(log_sum_exp));
    EXPECT_FALSE(conforms_alone(maximum));
  }
  Judged special("shape=1x1x9x20x16", [](Inputs& inputs) { inputs.query.view().set(0, 0, 4, 3, nan); });
  EXPECT_TRUE(conforms_alone(special));
  special.answer.out.view().set(0, 0, 4, 7, 0.5);
  EXPECT_FALSE(conforms_alone(special)) << "a row without bounds, of which NaN is asked";
}

/// An element has no bound, and is not judged, if an intermediate may leave its range.
TEST(Conforms, LetsPassWhatHasNoBound) {
  Judged judged("shape=1x1x3x4x2 dtype=f16", [](Inputs& inputs) {
    inputs.query.view().set(0, 0, 1, 0, 60000), inputs.key.view().set(0, 0, 2, 0, 60000);
  });
  const Comparison whole = judged.compare();
  EXPECT_GT(whole.unbounded, 0);
  EXPECT_EQ(conforms_alone(judged), whole.conforms());
}

}  // namespace
}  // namespace attestone
