// SPDX-License-Identifier: Apache-2.0
// All sources of error together, of drawn sizes, conspire against every element; and no bound is exceeded.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

#include "tests/effort.hpp"
#include "tests/reference/error_bound/gradient/adversary.hpp"

namespace attestone::emulation {
namespace {

class Drawn {
 public:
  explicit Drawn(int seed) : random_(static_cast<unsigned>(seed)) {}

  std::size_t below(std::size_t n) { return random_() % n; }
  bool chance() { return below(2) == 0; }
  /// 0 in half of all cases.
  double error(int largest_exponent) {
    return chance() ? 0 : std::ldexp(1.0, -largest_exponent - static_cast<int>(below(12)));
  }
  template <class T>
  T one_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }

  Numerics numerics() {
    Numerics numerics = exact_numerics();
    for_each_stage(numerics, [&](const char*, Stage& stage) {
      stage.accumulator.roundoff = error(10);
      stage.accumulator.underflow = error(20);
    });
    numerics.score.accumulator = exact_numerics().score.accumulator;
    numerics.gradient.accumulator.truncates = chance();
    for (Cast* cast : {&numerics.score.prescale, &numerics.score.stored, &numerics.weight.cast, &numerics.gradient.cast,
                       &numerics.gradient.part, &numerics.output.cast}) {
      cast->roundoff = error(8);
      if (cast->roundoff > 0) cast->underflow = error(16);
      if (cast->underflow > 0) cast->smallest_normal = cast->underflow * 8;
    }
    numerics.score.tanh_error = error(8);
    numerics.weight.exp_error = error(6);
    numerics.weight.denominator_sums_cast = chance();
    numerics.gradient.operand_roundoff = error(8);
    numerics.gradient.delta_from_rounded_out = chance();
    numerics.gradient.parts = 1 + static_cast<index>(below(4));
    numerics.output.log_error = error(8);
    numerics.output.log_sum_exp_roundoff = error(8);
    return numerics;
  }

  std::string line(int seed) {
    const auto shape = one_of<std::string>({"1x1x2x3x2", "1x2/1x2x2x2:1", "1x1x1x6x1:3"});
    const auto score = one_of<std::string>(
        {"", "score=softcap:1&bias:full&sink:head", "score=bias:full", "score=softcap:2", "score=bias:key&sink:head"});
    const auto dropout = one_of<std::string>({"", "dropout=0.5"}),
               scale = one_of<std::string>({"", "scale=0.125", "scale=3"});
    return fmt::format("shape={} dtype=f64 {} {} {} seed={}", shape, score, dropout, scale, seed);
  }

  Form form() {
    return {.delta_from_rows = chance(),
            .scales_score_gradients = chance(),
            .softmax_again = chance(),
            .log2_e_first = chance(),
            .dropout_of_delta = chance(),
            .heads_apart = chance()};
  }

 private:
  std::mt19937 random_;
};

std::vector<std::pair<std::string, const RealTensor*>> gradients_of(const GradientCase& here) {
  std::vector<std::pair<std::string, const RealTensor*>> all{
      {"dQ", &here.exact.query}, {"dK", &here.exact.key}, {"dV", &here.exact.value}};
  if (here.exact.bias) all.emplace_back("dbias", &*here.exact.bias);
  if (here.exact.sink) all.emplace_back("dsink", &*here.exact.sink);
  return all;
}

TEST(AllErrorsOfGradients, StayWithinTheBounds) {
  for (int seed = 1; seed <= effort(fewer_if_sanitized(20), 500, 5000); ++seed) {
    Drawn drawn(seed);
    const std::string fill = drawn.one_of<std::string>({"normal", "times three", "uniform", "offset value"});
    const double dout_size = drawn.one_of<double>({1000, 1, 1e-3, 1e-6});
    const Numerics numerics = drawn.numerics();
    const GradientCase here(drawn.line(seed), fill, dout_size, numerics);
    Form form = drawn.form();
    if (here.problem.dropout == 0) form.dropout_of_delta = false;
    for (const auto& [gradient, exact] : gradients_of(here))
      expect_reached(here, form, {gradient, drawn.below(exact->values.size())}, 0);
    if (testing::Test::HasFailure()) FAIL() << here.problem.text() << " seed " << seed;
  }
}

}  // namespace
}  // namespace attestone::emulation
