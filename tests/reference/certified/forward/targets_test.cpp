// SPDX-License-Identifier: Apache-2.0
// The truth on every instruction set that this machine can run: same roundings, and same bits where products are fused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/effort.hpp"
#include "tests/one_target.hpp"
#include "tests/reference/certified/forward/oracle_comparison.hpp"

namespace attestone {
namespace {

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// `bits`: whether values and bounds must agree too.
void expect_agreement(const Certified& a, const Certified& b, bool bits) {
  EXPECT_TRUE(!a.decided || !b.decided || same(a.rounded, b.rounded)) << a.rounded << " " << b.rounded;
  if (!bits) return;
  EXPECT_TRUE(same(a.value, b.value)) << a.value << " " << b.value;
  EXPECT_TRUE(same(a.bound, b.bound)) << a.bound << " " << b.bound;
  EXPECT_EQ(a.decided, b.decided);
}

void expect_agreement(const Problem& p, const Truth& a, const Truth& b, bool bits) {
  for (index batch = 0; batch < p.shape.batch; ++batch)
    for (index head = 0; head < p.shape.heads; ++head)
      for (index row = 0; row < p.shape.queries; ++row) {
        expect_agreement(a.log_sum_exp(batch, head, row), b.log_sum_exp(batch, head, row), bits);
        for (index c = 0; c < p.shape.value_dim; ++c)
          expect_agreement(a.out(batch, head, row, c), b.out(batch, head, row, c), bits);
      }
}

TEST(Targets, AgreeWithMpfrAndWithEachOther) {
  const std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  for (const std::int64_t target : targets) fmt::print("  {}\n", hwy::TargetName(target));
  Random random(77);
  for (index round = 0; round < effort(3, 100); ++round)
    for (const AdversarialFill& fill : adversarial_fills()) {
      const Problem problem = problem_with_features(random);
      Inputs inputs(problem);
      fill.fill(problem, inputs, random);
      std::vector<Truth> truths;
      for (const std::int64_t target : targets) {
        const OneTarget only(target);
        truths.push_back(certify_forward(problem, inputs));
        Tally tally;
        compare_with_oracle(problem, inputs, truths.back(), tally);
        EXPECT_EQ(tally.violations, 0) << hwy::TargetName(target) << ": " << problem.text() << "\n" << tally.worst;
        EXPECT_EQ(tally.wrong_roundings, 0) << hwy::TargetName(target) << ": " << problem.text();
      }
      for (std::size_t i = 1; i < targets.size(); ++i) {
        SCOPED_TRACE(fmt::format("{} and {}, {}: {}", hwy::TargetName(targets[i]), hwy::TargetName(targets[0]),
                                 fill.name, problem.text()));
        expect_agreement(problem, truths[0], truths[i], fuses(targets[0]) && fuses(targets[i]));
      }
    }
}

}  // namespace
}  // namespace attestone
