// SPDX-License-Identifier: Apache-2.0
// Keys masked by large finite biases weigh nothing: beside others they leave the bounds of a row as tight as they were.
#include <cmath>
#include <gtest/gtest.h>

#include "reference/error_bound/forward/forward_bound.hpp"
#include "reference/error_bound/gradient/gradient_bound.hpp"
#include "reference/numerics/declared_class.hpp"
#include "tests/reference/certified/forward/adversarial_fills.hpp"

namespace attestone {
namespace {

TEST(FiniteMaskBounds, AreThoseOfHiddenKeys) {
  for (const char* format : {"f32", "bf16"}) {
    const Problem problem =
        parse_problem(std::string("shape=1x1x6x40x16 score=bias:pair pass=forward+backward dtype=") + format);
    const Numerics numerics = default_numerics(problem.input, problem.output);
    Random random(8);
    Inputs inputs(problem);
    adversarial_fills().front().fill(problem, inputs, random);
    const auto with_mask = [&](double mask) {
      Inputs masked = inputs;
      set_all(*masked.bias, [&](index, index key) { return key % 3 > 0 ? mask : 0.5; });
      return masked;
    };
    const Inputs hidden = with_mask(-HUGE_VAL);
    const ForwardBound of_hidden(problem, hidden, numerics);
    const GradientBounds gradients_of_hidden = gradient_bounds(problem, hidden, numerics);
    for (const double mask : {-1e4, -1e9, -1e30}) {
      const Inputs masked = with_mask(mask);
      const ForwardBound bound(problem, masked, numerics);
      // More keys make longer sums; nothing else may grow.
      for (index query = 0; query < 6; ++query)
        for (index c = 0; c < 16; ++c)
          EXPECT_LE(bound.row(0, 0, query)->out(c), 4 * of_hidden.row(0, 0, query)->out(c)) << format << " " << mask;
      const GradientBounds gradients = gradient_bounds(problem, masked, numerics);
      for (index query = 0; query < 6; ++query)
        for (index c = 0; c < 16; ++c)
          EXPECT_LE(gradients.query.deterministic(0, 0, query, c),
                    4 * gradients_of_hidden.query.deterministic(0, 0, query, c))
              << format << " " << mask;
    }
  }
}

}  // namespace
}  // namespace attestone
