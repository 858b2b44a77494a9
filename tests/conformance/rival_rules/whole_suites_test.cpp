// SPDX-License-Identifier: Apache-2.0
// All mutants and all correct kernels on whole suites. This takes hours, so it is cut into parts, each of them a test.
// slow: judges whole suites
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <omp.h>

#include "conformance/problems/suite.hpp"
#include "conformance/rival_rules/correct_kernels.hpp"
#include "conformance/rival_rules/kill_matrix.hpp"
#include "conformance/run/run.hpp"
#include "reference/registry.hpp"
#include "tests/one_in.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

constexpr std::size_t parts = 12;

class WholeSuitesSlow : public testing::TestWithParam<std::size_t> {
 protected:
  /// Each twelfth of these, from its own place on.
  template <class Any>
  std::vector<Any> own(const std::vector<Any>& all) const {
    std::vector<Any> some;
    for (std::size_t at = GetParam(); at < all.size(); at += parts) some.push_back(all[at]);
    return some;
  }
};

std::vector<const Mutant*> all_mutants() {
  std::vector<const Mutant*> all;
  for (const auto& [name, mutant] : Registry<Mutant>::all()) all.push_back(&mutant);
  return all;
}

/// In CI each on a few problems of smoke.
TEST_P(WholeSuitesSlow, AcquitCorrectKernels) {
  const std::vector<Problem> smoke = load_suite("smoke");
  const OneIn part(384);
  std::size_t cases = 0, problems = 0;
  for (const SharedKernel& kernel : own(correct_kernels())) {
    RunOptions options{.threads = omp_get_max_threads(), .explain = false};
    for (const Problem& problem : smoke)
      if (part.holds(kernel->name() + problem.text())) options.problems.push_back(problem);
    const KernelRun run = examine(kernel, options);
    for (const Failure& failure : run.failures)
      ADD_FAILURE() << kernel->name() << ": " << failure.verdict.reason << ": " << failure.verdict.evidence << "\n"
                    << failure.first.text();
    fmt::print("{}: {} problems, {} cases\n", kernel->name(), options.problems.size(), run.cases.size());
    cases += run.cases.size(), problems += options.problems.size();
  }
  EXPECT_GT(cases, problems);
}

/// One in twenty may escape smoke, which nobody has told its problem. In CI the first part draws a few of all mutants.
TEST_P(WholeSuitesSlow, ConvictNearlyAllMutants) {
  const OneIn some(192);
  if (!some.is_all() && GetParam() > 0) GTEST_SKIP() << "the first part draws of all mutants";
  std::vector<const Mutant*> mutants = some.is_all() ? own(all_mutants()) : all_mutants();
  std::erase_if(mutants, [&](const Mutant* mutant) { return !some.holds(mutant->name); });
  ASSERT_FALSE(mutants.empty()) << "seed " << seed() << " draws no mutant";
  const std::vector<Problem> smoke = load_suite("smoke");
  std::size_t escaped = 0;
  for (const Mutant* mutant : mutants) {
    const KernelRun run = examine(mutant->kernel(), {.problems = smoke, .fail_fast = true, .explain = false});
    if (!run.failures.empty()) continue;
    ++escaped;
    fmt::print("not seen by smoke: {}\n", mutant->name);
  }
  EXPECT_LE(20 * escaped, mutants.size());
}

/// True if the problem that shows the mutant takes few products.
bool is_shown_by_little(const Mutant* mutant) {
  const Shape shape = parse_problem(mutant->problem).shape;
  return shape.rows() * shape.keys * shape.dim < (index{1} << 18);
}

/// Before one cheap judge: what counts here is what we say of correct kernels. In CI the first part draws a few of the
/// mutants that little problems show.
TEST_P(WholeSuitesSlow, OfTheProblemsOfMutantsTellThemFromCorrectKernels) {
  const OneIn some(24);
  if (!some.is_all() && GetParam() > 0) GTEST_SKIP() << "the first part draws of all mutants";
  MatrixOptions options{.judges = {Registry<Judge>::find("onnx")},
                        .mutants = some.is_all() ? own(all_mutants()) : all_mutants()};
  std::erase_if(options.mutants, [&](const Mutant* mutant) {
    return !some.is_all() && !(is_shown_by_little(mutant) && some.holds(mutant->name));
  });
  const KillMatrix matrix = kill_matrix(options);
  for (const CorrectRow& score : matrix.correct)
    EXPECT_EQ(score.ours.alarms, 0) << score.kernel << ": " << score.ours.first;
  fmt::print("{} mutants: {} cases of correct kernels\n", matrix.mutants.size(), matrix.our_alarms().cases);
  EXPECT_GE(matrix.our_alarms().cases, some.is_all() ? 5'000 : 1'000);
  EXPECT_TRUE(matrix.flawless());
}

INSTANTIATE_TEST_SUITE_P(All, WholeSuitesSlow, testing::Range<std::size_t>(0, parts), numbered("part"));

}  // namespace
}  // namespace attestone
