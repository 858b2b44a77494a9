// SPDX-License-Identifier: Apache-2.0
// What no bound is below, held against the bounds of rows: all that a declaration allows, and one error at a time.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "reference/error_bound/forward/forward_bound.hpp"
#include "reference/numerics/declaration.hpp"
#include "reference/numerics/declared_class.hpp"
#include "tests/reference/error_bound/fills.hpp"

namespace attestone {
namespace {

/// The largest share that the least bounds are of a row's own; more than 1 where they are no bounds from below.
double largest_share(const std::string& line, const Numerics& numerics) {
  const Problem problem = parse_problem(line + " wants=out+log_sum_exp+max_logits");
  double largest = 0;
  const auto see = [&](double least, double bound) {
    if (least > 0) largest = std::max(largest, least / bound);
  };
  for (const emulation::Fill& fill : emulation::fills()) {
    Inputs inputs(problem);
    fill.fill(problem, problem.seed, inputs);
    const Truth truth = certify_forward(problem, inputs);
    const ForwardBound bound(problem, inputs, numerics);
    for (index h = 0; h < problem.shape.heads; ++h)
      for (index i = 0; i < problem.shape.queries; ++i) {
        const auto row = bound.row(0, h, i);
        for (index c = 0; c < problem.shape.value_dim; ++c) {
          const Certified& right = truth.out(0, h, i, c);
          if (std::isfinite(right.value)) see(bound.least().out(right), row->out_probabilistic(c));
        }
        const Certified& right = truth.log_sum_exp(0, h, i);
        if (std::isfinite(right.value)) see(bound.least().log_sum_exp(right), row->log_sum_exp_probabilistic());
        const Certified& maximum = truth.max_logits(0, h, i);
        if (std::isfinite(maximum.value)) see(bound.least().max_logits(maximum), row->max_logits());
      }
  }
  return largest;
}

/// A kernel that errs in this way alone, and whose numbers have room.
Numerics erring_by(const std::string& only) {
  return with_declared(Numerics{}, "accumulator_largest=1e300 output_largest=1e300 score_largest=1e300 " + only,
                       "the test");
}

constexpr const char* shapes[] = {"shape=1x2x3x1x4 scale=1", "shape=1x1x4x130x8", "shape=1x2x5x40x8:3 score=softcap:2",
                                  "shape=1x2x9x9x4 mask=causal score=sink:head dropout=0.25"};

TEST(LeastBounds, AreBelowEveryBound) {
  for (const std::string shape : shapes) {
    for (const char* formats : {"f32", "f16", "bf16"}) {
      const std::string line = shape + " dtype=" + formats;
      EXPECT_LE(largest_share(line, default_numerics(dtype(formats), dtype(formats))), 1) << line;
    }
    for (const char* only :
         {"output_roundoff=0x1p-9", "value.accumulator.roundoff=0x1p-11", "exp_error=0x1p-12", "log_error=0x1p-12",
          "log_sum_exp_roundoff=0x1p-9", "output.accumulator.roundoff=0x1p-12", "weights_are_normalised=yes"})
      EXPECT_LE(largest_share(shape + " dtype=f32", erring_by(only)), 1) << shape << ", " << only;
  }
}

TEST(LeastBounds, AreTheBoundsWhereARowHasNoErrorsOfItsOwn) {
  for (const char* only : {"output_roundoff=0x1p-9", "value.accumulator.roundoff=0x1p-11"})
    EXPECT_GT(largest_share("shape=1x2x3x1x4 scale=1", erring_by(only)), 0.9) << only;
  for (const char* only : {"exp_error=0x1p-12", "log_sum_exp_roundoff=0x1p-9"})
    EXPECT_GT(largest_share("shape=1x2x3x1x4 scale=1", erring_by(only)), 0.9) << only;
}

TEST(LeastBounds, OfPartsKnowTheAnswersAlone) {
  const Certified two{2, 0, 2, true};
  for (const char* form : {"shared_maximum", "rescaled_sums", "late_correction", "sigmoid"}) {
    const std::string merging = std::string("merge.parts=2 merge.form=") + form;
    const Numerics numerics = with_declared(default_numerics(dtype("f32"), dtype("f32")), merging, "the test");
    const double share = 1 - 0x1p-20, of_two = 2 * share;
    EXPECT_EQ(LeastBounds(numerics).out(two), of_two * numerics.output.cast.roundoff);
    EXPECT_EQ(LeastBounds(numerics).log_sum_exp(two), of_two * numerics.output.log_sum_exp_roundoff);
    for (const std::string shape : shapes) EXPECT_LE(largest_share(shape, numerics), 1) << shape << ", " << form;
  }
}

TEST(LeastBounds, TakeTheTruthAtItsSmallest) {
  const LeastBounds least(with_declared(Numerics{}, "output_roundoff=0.25", "the test"));
  EXPECT_EQ(least.out({-2, 0.5, -2, true}), 0.25 * (1 - 0x1p-20) * 1.5);
  EXPECT_EQ(least.out({0.25, 0.5, 0.25, true}), 0);
}

}  // namespace
}  // namespace attestone
