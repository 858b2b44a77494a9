// SPDX-License-Identifier: Apache-2.0
// Nothing is certified as more exact than it is because a product underflowed: against MPFR, at the lower end of
// double.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

#include "reference/certified/forward/row_facts.hpp"
#include "tests/effort.hpp"
#include "tests/reference/certified/backward/gradient_comparison.hpp"

namespace attestone {
namespace {

/// Normal numbers times one power of two for each tensor, in f64.
void fill_with_exponents(const std::vector<Tensor*>& tensors, Random& random) {
  for (Tensor* tensor : tensors) {
    // Half of them ordinary; else anywhere, and often where everything is subnormal.
    const auto exponent = random() % 2 ? 0 : random() % 3 ? static_cast<int>(random() % 2000) - 1070 : -1072;
    set_all(*tensor, [&](index, index) { return std::ldexp(std::normal_distribution<double>()(random), exponent); });
  }
}

TEST(Underflow, NoBoundIsTooSmallAtTheLowerEndOfDouble) {
  constexpr std::uint64_t seed = 11;
  Random random(seed);
  index finite = 0;
  for (index round = 0; round < effort(400, 40'000); ++round) {
    Problem problem = parse_problem(fmt::format("shape=1x{}/1x{}x{}x{}:{} dtype=f64 pass=forward+backward score={}",
                                                1 + random() % 2, 1 + random() % 3, 1 + random() % 5, 1 + random() % 20,
                                                1 + random() % 20, random() % 2 ? "softcap:5&sink:head" : "bias:pair"));
    problem.given_scale = std::ldexp(1.0 + static_cast<double>(random() % 2) / 3, random() % 3 ? 0 : 900);
    if (random() % 3 == 0) problem.dropout = 0.75;
    problem.seed = random();
    Inputs inputs(problem);
    adversarial_fills().front().fill(problem, inputs, random);
    fill_with_exponents({&inputs.query, &inputs.key, &inputs.value, &*inputs.dout}, random);
    Tally forward;
    const bool escalate = round % 4 == 0;
    compare_with_oracle(problem, inputs, certify_forward(problem, inputs, {.queries = {}, .escalate = escalate}),
                        forward);
    GradientTally backward;
    const auto truth = certify_backward(problem, inputs, {.queries = {}, .keys = {}, .escalate = escalate});
    compare_with_oracle(problem, inputs, truth, backward);
    ASSERT_EQ(forward.violations + forward.wrong_roundings + backward.violations + backward.wrong_roundings, 0)
        << "seed " << seed << ", round " << round << ": " << problem.text() << "\n"
        << forward.worst << "\n"
        << backward.worst;
    for (index i = 0; i < element_count(truth.query.extents()); ++i)
      finite += std::isfinite(truth.query.at(0, 0, 0, i).bound);
  }
  EXPECT_GT(finite, 400);
}

/// dO.v of a subnormal dO and a large V that cancels: an error of 2^-53 |dO| alone would be too small for a double.
TEST(Underflow, ProductsOfASubnormalGradientAreNotExact) {
  Random random(6);
  const Problem problem = parse_problem("shape=1x1x3x5x3:2 dtype=f64 pass=forward+backward");
  for (int round = 0; round < 20; ++round) {
    Inputs inputs(problem);
    adversarial_fills().front().fill(problem, inputs, random);
    set_all(inputs.value, [&, y = 0.0](index, index channel) mutable {
      if (channel == 1) return -y * (1 + 0x1p-50);
      return y = std::ldexp(1 + std::generate_canonical<double, 53>(random), 900);
    });
    set_all(*inputs.dout, [](index row, index) { return std::ldexp(1e6 + 3 * static_cast<double>(row), -1074); });
    GradientTally tally;
    compare_with_oracle(problem, inputs, certify_backward(problem, inputs), tally);
    EXPECT_EQ(tally.violations, 0) << round << "\n" << tally.worst;
  }
}

/// e^-2^30, and what is left of it times 2^-149, are too small for a double, and e^-2^30 for the default range of MPFR.
TEST(Underflow, AWeightThatNoFormatHoldsIsNotNothing) {
  for (const char* format : {"f32", "f64"})
    for (const double score : {-1000.0, -0x1p30, -0x1p60, -0x1p100})
      for (const double value : {1.0, 0x1p-149}) {
        const Problem problem = parse_problem(std::string("shape=1x1x1x2x1:1 scale=1 dtype=") + format);
        Inputs inputs(problem);
        set_all(inputs.query, [](index, index) { return 1; });
        set_all(inputs.key, [&](index key, index) { return key == 0 ? 0 : score; });
        set_all(inputs.value, [&](index key, index) { return key == 0 ? 0 : value; });
        const Certified out = certify_forward(problem, inputs).out(0, 0, 0, 0);
        EXPECT_GT(out.bound, 0) << format << " " << score << " " << value;
        EXPECT_LT(out.bound, value * 0x1p-45) << format << " " << score << " " << value;
        EXPECT_TRUE(out.decided) << format << " " << score << " " << value;
        EXPECT_EQ(out.rounded, 0) << format << " " << score << " " << value;
      }
}

/// A norm of subnormal numbers is rounded like they are: 2^-1074 sqrt 2 is not 2^-1074.
TEST(Underflow, NormsOfSubnormalNumbersAreNotTooSmall) {
  const double least = std::numeric_limits<double>::denorm_min();
  for (int count = 1; count <= 64; ++count)
    for (const double each : {least, 3 * least, 1000 * least}) {
      const std::vector<double> vector(static_cast<std::size_t>(count), each);
      EXPECT_GE(vector_facts(vector).norm / least, std::sqrt(count) * (each / least)) << count;
    }
}

}  // namespace
}  // namespace attestone
