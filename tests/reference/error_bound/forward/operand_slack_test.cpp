// SPDX-License-Identifier: Apache-2.0
// What numbers do to the answer that a kernel may read differently: it moves within the bound, and nearly up to it.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

#include "reference/error_bound/forward/forward_bound.hpp"
#include "reference/quantization/coded_problem.hpp"
#include "tests/effort.hpp"
#include "tests/random_call.hpp"
#include "tests/reference/error_bound/emulated_kernel.hpp"
#include "tests/reference/error_bound/forward/bare_row.hpp"

namespace attestone::emulation {
namespace {

enum class Operand { query, key, value };

View view_of(Inputs& inputs, Operand operand) {
  return operand == Operand::query ? inputs.query.view()
         : operand == Operand::key ? inputs.key.view()
                                   : inputs.value.view();
}

/// The share of the bound that the answer reaches, at most, when one operand has other numbers.
class OtherNumbers {
 public:
  OtherNumbers(const Problem& problem, Operand operand, std::uint64_t seed)
      : call_(problem), coded_(problem, call_.inputs, codes()), operand_(operand), random_(seed) {}

  double largest_share() {
    Inputs inputs = coded_.inputs();
    const View numbers = view_of(inputs, operand_);
    std::vector<double> slack;
    const bool upward = random_() % 2 == 0;
    for_each_element(numbers, [&](index b, index h, index r, index c) {
      slack.push_back(std::ldexp(static_cast<double>(random_() % 1024), -14));
      const bool up = operand_ == Operand::value ? upward : random_() % 2 == 0;
      numbers.set(b, h, r, c, numbers.value(b, h, r, c) + (up ? 1 : -1) * slack.back());
    });
    return share(inputs, {operand_ == Operand::query ? slack : none_, operand_ == Operand::key ? slack : none_,
                          operand_ == Operand::value ? slack : none_});
  }

 private:
  /// Codes of the query alone, so that the problem has numbers of f64.
  static Numerics codes() {
    Numerics numerics = faultless();
    numerics.score.query_codes = {CodeRule::int8_block, ScaleSharing::rows, 4, Centring::none};
    return numerics;
  }

  double share(const Inputs& other, const OperandSlack& slack) {
    const Problem& problem = coded_.problem();
    const Numerics numerics = faultless();
    const ForwardBound bound(problem, coded_.inputs(), numerics, slack);
    double most = 0;
    for (index b = 0; b < problem.shape.batch; ++b)
      for (index h = 0; h < problem.shape.heads; ++h)
        for (index i = 0; i < problem.shape.queries; ++i) {
          const ExactRow before = exact(problem, coded_.inputs(), b, h, i), after = exact(problem, other, b, h, i);
          const auto row = bound.row(b, h, i);
          for (std::size_t c = 0; c < before.out.size(); ++c) {
            const auto channel = static_cast<index>(c);
            const double moved = static_cast<double>(std::abs(after.out[c] - before.out[c]));
            EXPECT_LE(moved, row->out_probabilistic(channel)) << problem.text();
            EXPECT_LE(row->out_probabilistic(channel), row->out(channel));
            most = std::max(most, moved / row->out(channel));
          }
          const double moved = static_cast<double>(std::abs(after.log_sum_exp - before.log_sum_exp));
          EXPECT_LE(moved, row->log_sum_exp()) << problem.text();
        }
    return most;
  }

  RandomCall call_;
  CodedProblem coded_;
  Operand operand_;
  std::mt19937_64 random_;
  std::vector<double> none_;
};

double largest_share(const std::string& shape, Operand operand) {
  double most = 0;
  for (index seed = 0; seed < effort(20, 2000); ++seed) {
    const Problem problem = parse_problem(shape + " dtype=bf16 seed=" + std::to_string(seed));
    most = std::max(most, OtherNumbers(problem, operand, static_cast<std::uint64_t>(seed)).largest_share());
  }
  fmt::print("{}: {:.2f} of the bound\n", shape, most);
  return most;
}

TEST(OperandSlack, OfValuesIsReached) {
  for (const char* shape : {"shape=2x2/1x3x7x4", "shape=1x2x4x9x3 mask=causal", "shape=1x2x3x6x4 dropout=0.25"})
    EXPECT_GT(largest_share(shape, Operand::value), 0.99) << shape;
}

/// One channel has one sign to choose, and a score's error is all that there is.
TEST(OperandSlack, OfScoresIsNearlyReached) {
  for (const Operand operand : {Operand::query, Operand::key}) {
    EXPECT_GT(largest_share("shape=2x2/1x3x2x1", operand), 0.98);
    EXPECT_GT(largest_share("shape=1x2x3x7x4 mask=causal", operand), 0.7);
  }
}

}  // namespace
}  // namespace attestone::emulation
