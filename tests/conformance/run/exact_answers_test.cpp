// SPDX-License-Identifier: Apache-2.0
// Thousands of rows whose answer is known without attention, and not one bit of difference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "conformance/problems/generate.hpp"
#include "conformance/run/run.hpp"
#include "reference/registry.hpp"
#include "tests/backends/published_kernels.hpp"
#include "tests/conformance/run/random_kernel.hpp"
#include "tests/effort.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

/// A random problem whose rows can be made to select one key.
Problem selecting_problem(index number) {
  Problem problem = random_problem(28, number);
  problem.score = Score();
  problem.dropout = 0;
  problem.backward = false;
  return problem;
}

index rows_of(const Problem& problem) {
  index rows = 0;
  for (index b = 0; b < problem.shape.batch; ++b) rows += problem.shape.heads * problem.sequence(b).queries;
  return rows;
}

class ExactAnswers : public testing::TestWithParam<std::string> {};

TEST_P(ExactAnswers, HoldInEveryRow) {
  const std::vector<const char*> properties{"exact_mean", "exact_selection", "exact_keys", "exact_mask"};
  index vectors = 0;
  for (index number = 0; number < effort(40, 5000); ++number) {
    const Problem problem = selecting_problem(number);
    const SharedKernel kernel = make_kernel(random_kernel(GetParam(), static_cast<unsigned>(number)));
    for (const char* name : properties) {
      const Property& property = *Registry<Property>::find(name);
      const Verdict verdict = examine_case(*kernel, property, problem);
      EXPECT_NE(verdict.outcome, Outcome::failed) << verdict.evidence << "\n"
                                                  << repro_line(Candidate(kernel).option.text(), property, problem);
      // What exact_mean knows of its rows depends on their number of keys: those are not counted.
      if (verdict.outcome == Outcome::passed && property.name != "exact_mean") vectors += rows_of(problem);
    }
  }
  fmt::print("{}: {} rows exact\n", GetParam(), vectors);
  EXPECT_GE(vectors, 2000);
}

INSTANTIATE_TEST_SUITE_P(Each, ExactAnswers, testing::ValuesIn(names_of_kernels_with_gradients()), by_parameter);

}  // namespace
}  // namespace attestone
