// SPDX-License-Identifier: Apache-2.0
// Certified gradients do not depend on how they are computed: threads, samples, instruction sets.
#include <cmath>
#include <gtest/gtest.h>
#include <omp.h>

#include "tests/effort.hpp"
#include "tests/one_target.hpp"
#include "tests/reference/certified/backward/gradient_comparison.hpp"

namespace attestone {
namespace {

/// NaN counts as equal to NaN: a number too large for a format without infinity is rounded to NaN.
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool same(const Certified& a, const Certified& b) {
  return same(a.value, b.value) && same(a.bound, b.bound) && same(a.rounded, b.rounded) && a.decided == b.decided;
}

/// True if rows `chosen` of `whole` have the bits of `some`.
bool same_rows(const CertifiedTensor& some, const CertifiedTensor& whole, const std::vector<index>& chosen) {
  const auto& [batches, heads, rows, channels] = some.extents();
  bool all = true;
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c)
          all = all && same(some.at(b, h, r, c), whole.at(b, h, chosen[static_cast<std::size_t>(r)], c));
  return all;
}

bool same(const CertifiedTensor& a, const CertifiedTensor& b) {
  std::vector<index> rows;
  for (index r = 0; r < a.extents()[2]; ++r) rows.push_back(r);
  return a.extents() == b.extents() && same_rows(a, b, rows);
}

bool same(const GradientTruth& a, const GradientTruth& b) {
  return same(a.query, b.query) && same(a.key, b.key) && same(a.value, b.value) &&
         a.bias.has_value() == b.bias.has_value() && (!a.bias || same(*a.bias, *b.bias)) &&
         (!a.sink || same(*a.sink, *b.sink));
}

TEST(GradientConsistency, ThreadsChangeNoBit) {
  for (const char* text : {"shape=2x4/2x70x150x24 mask=causal score=softcap:20&bias:pair&sink:head dropout=0.1",
                           "shape=2x4/1x150x70x24 score=bias:key"}) {
    const Problem problem = parse_problem(text + std::string(" pass=forward+backward"));
    Inputs inputs(problem);
    Random random(1);
    adversarial_fills().front().fill(problem, inputs, random);
    const int threads_before = omp_get_max_threads();
    omp_set_num_threads(1);
    const GradientTruth one = certify_backward(problem, inputs);
    omp_set_num_threads(3);
    const GradientTruth three = certify_backward(problem, inputs);
    omp_set_num_threads(threads_before);
    EXPECT_TRUE(same(one, three)) << text;
  }
}

TEST(GradientConsistency, ChosenKeysAreThoseOfTheWhole) {
  const Problem problem = parse_problem("shape=2x4/2x90x150x24 mask=causal score=sink:head pass=forward+backward");
  Inputs inputs(problem);
  Random random(2);
  adversarial_fills().front().fill(problem, inputs, random);
  const GradientTruth whole = certify_backward(problem, inputs);
  const std::vector<index> queries{0, 3, 17, 64, 89}, keys{1, 63, 64, 149};
  const GradientTruth some = certify_backward(problem, inputs, {queries, keys});
  EXPECT_TRUE(same_rows(some.query, whole.query, queries));
  EXPECT_TRUE(same_rows(some.key, whole.key, keys) && same_rows(some.value, whole.value, keys));
  EXPECT_FALSE(some.bias || some.sink);
}

/// Other rows share the tile then, so bounds and last bits may differ; MPFR judges.
TEST(GradientConsistency, ChosenQueriesAloneKeepTheirBounds) {
  Random random(4);
  for (index round = 0; round < effort(20, 2000); ++round) {
    const Problem problem = backward_problem_with_features(random);
    Inputs inputs(problem);
    adversarial_fills()[static_cast<std::size_t>(round) % adversarial_fills().size()].fill(problem, inputs, random);
    std::vector<index> queries;
    for (index q = 0; q < problem.shape.queries; ++q)
      if (random() % 2) queries.push_back(q);
    GradientTally tally;
    compare_with_oracle(problem, inputs, certify_backward(problem, inputs, {queries, std::vector<index>{}}), tally);
    EXPECT_EQ(tally.violations + tally.wrong_roundings, 0) << problem.text() << "\n" << tally.worst;
  }
}

TEST(GradientConsistency, InstructionSetsAgreeWithMpfrAndWithEachOther) {
  const std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  Random random(78);
  for (index round = 0; round < effort(1, 30); ++round)
    for (const AdversarialFill& fill : adversarial_fills()) {
      const Problem problem = backward_problem_with_features(random);
      Inputs inputs(problem);
      fill.fill(problem, inputs, random);
      std::vector<GradientTruth> truths;
      for (const std::int64_t target : targets) {
        const OneTarget only(target);
        truths.push_back(certify_backward(problem, inputs));
        GradientTally tally;
        compare_with_oracle(problem, inputs, truths.back(), tally);
        EXPECT_EQ(tally.violations + tally.wrong_roundings, 0)
            << hwy::TargetName(target) << ": " << problem.text() << "\n"
            << tally.worst;
        const bool same_bits = fuses(target) && fuses(targets.front());
        EXPECT_TRUE(!same_bits || same(truths.front(), truths.back()))
            << hwy::TargetName(target) << ": " << problem.text();
      }
    }
}

}  // namespace
}  // namespace attestone
