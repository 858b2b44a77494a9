// SPDX-License-Identifier: Apache-2.0
// The intervals of the MPFR stage are as wide as docs/certified.md counts, and what they leave open stays open.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference/certified/forward/mpfr_row.hpp"
#include "reference/certified/forward/visibility.hpp"
#include "tests/reference/certified/forward/adversarial_fills.hpp"
#include "tests/reference/certified/numbers/real.hpp"

namespace attestone {
namespace {

const auto one = [](index, index) { return 1.0; };
const auto zero = [](index, index) { return 0.0; };

Inputs filled(const Problem& problem, double bias) {
  Inputs inputs(problem);
  set_all(inputs.query, zero), set_all(inputs.key, one), set_all(inputs.value, one);
  if (inputs.bias) set_all(*inputs.bias, [=](index, index) { return bias; });
  return inputs;
}

void expect_bound(const Certified& found, double by_hand, const std::string& what) {
  EXPECT_TRUE(found.decided) << what;
  EXPECT_GE(found.bound, by_hand * (1 + 0x1p-19)) << what;
  EXPECT_LE(found.bound, by_hand * (1 + 0x1p-16)) << what;
}

/// Scores of 1e8, which only MPFR can hold, of equal keys: O is 1, and log_sum_exp of a single key is its score.
TEST(MpfrBound, CountsOperations) {
  constexpr double unit = 0x1p-136, bias = 1e8;
  for (const index keys : {1, 2, 50})
    for (const index dim : {1, 20}) {
      const Problem problem = parse_problem(fmt::format("shape=1x1x1x{}x{}:1 dtype=f64 score=bias:full", keys, dim));
      const Truth truth = certify_forward(problem, filled(problem, bias));
      // q.k and scale; softcap; bias and the difference to the largest score, of two scores each; exp.
      const auto tau = static_cast<double>((dim + 1) + 1 + 4 + 2 * 4 + 2), n = static_cast<double>(keys);
      expect_bound(truth.out(0, 0, 0, 0), ((tau + n + 1) + (tau + n + 3 + 2)) * unit, problem.text());
      if (keys > 1) continue;
      const double of_score = 2 * bias * 0x1p-28 * unit;  // 28 more bits for a score below 2^27
      const double of_log = truth.log_sum_exp(0, 0, 0).bound, by_hand = (tau + n + 3) * unit + of_score;
      EXPECT_GE(of_log, by_hand) << problem.text();
      EXPECT_LE(of_log, by_hand + unit / 2) << problem.text() << ": and the last bit of the ends";
    }
}

/// The interval that MpfrRow finds for a channel of a row of three keys.
MpfrInterval interval_of(double sign) {
  const Problem problem = parse_problem("shape=1x1x1x3x1:1 dtype=f64 scale=1");
  Inputs inputs = filled(problem, 0);
  set_all(inputs.query, one);
  set_all(inputs.key, [](index key, index) { return static_cast<double>(key) / 3; });
  set_all(inputs.value, [=](index key, index) { return sign * std::sqrt(static_cast<double>(key + 2)); });
  const std::vector<index> rows{0}, keys{0, 1, 2};
  const Visibility visibility(problem, inputs, 0, rows);
  DecodedHead head(problem, inputs, 0, 0);
  head.decode_word(0, visibility.seen(0)[0]);
  head.conclude();
  const Bias bias(problem, inputs);
  const std::vector<double> query{1};
  const RowTask task{&problem, &head, &bias, 0, 0, 0, query, visibility.row(0, 0), visibility.row(0, 0), {}};
  return MpfrRow(task, keys, 128).out(0);
}

/// Both ends are rounded away from the middle: values of the other sign turn the interval round, bit by bit.
TEST(MpfrBound, BothEndsAreRoundedOutward) {
  const MpfrInterval up = interval_of(1), down = interval_of(-1);
  Number turned(down.lowest);
  mpfr_neg(turned, turned, MPFR_RNDN);
  EXPECT_EQ(mpfr_cmp(up.highest, turned), 0);
  mpfr_neg(turned, down.highest, MPFR_RNDN);
  EXPECT_EQ(mpfr_cmp(up.lowest, turned), 0);
}

/// Keys of one score mean a midpoint, and one of a weight of e^-1500 leans to a side. Under a softcap that is no proof.
TEST(MpfrBound, NoProofMeansNoDecision) {
  const Problem problem = parse_problem("shape=1x1x1x3x1:1 scale=1 score=softcap:2000");
  Inputs inputs = filled(problem, 0);
  set_all(inputs.query, one);
  set_all(inputs.key, [](index key, index) { return key == 2 ? 0 : 2000; });
  set_all(inputs.value, [](index key, index) { return key == 0 ? 1 : key == 1 ? 1 + 0x1p-23 : 2; });
  const Truth truth = certify_forward(problem, inputs);
  EXPECT_FALSE(truth.out(0, 0, 0, 0).decided);
  EXPECT_GT(truth.out(0, 0, 0, 0).bound, 0);
  EXPECT_EQ(truth.decisions.ties, 0);
}

/// Groups whose differences from a midpoint cancel to 2^-150: 128 bits see no sign, 256 do.
TEST(MpfrBound, ASignLostInCancellationIsNotDecided) {
  const double midpoint = 1 + 0x1p-24;
  for (const double lean : {-0x1p-150, 0x1p-150}) {
    // Key 3 has the score 1 and lies 1 above the midpoint; keys 0 to 2 have the score 0, and lie e below it together.
    Real rest = Real(3 * midpoint) - exp(Real(1)) + lean;
    double parts[3];
    for (double& part : parts) part = static_cast<double>(rest), rest -= part;
    const Problem problem = parse_problem("shape=1x1x1x4x1:1 scale=1 dtype=f64>f32");
    Inputs inputs = filled(problem, 0);
    set_all(inputs.query, one);
    set_all(inputs.key, [](index key, index) { return key == 3 ? 1 : 0; });
    set_all(inputs.value, [&](index key, index) { return key == 3 ? midpoint + 1 : parts[key]; });
    const Certified out = certify_forward(problem, inputs).out(0, 0, 0, 0);
    EXPECT_TRUE(out.decided);
    EXPECT_EQ(out.rounded, lean > 0 ? 1 + 0x1p-23 : 1) << lean;
  }
}

}  // namespace
}  // namespace attestone
