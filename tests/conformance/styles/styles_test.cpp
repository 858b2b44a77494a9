// SPDX-License-Identifier: Apache-2.0
// Correct kernels in many styles, on problems made to tell styles apart: none is called wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

#include "conformance/problems/generate.hpp"
#include "conformance/run/run.hpp"
#include "reference/registry.hpp"
#include "tests/conformance/styles/styled_kernel.hpp"
#include "tests/one_in.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

using styles::Style;

const std::uint64_t drawn_by = seed(20261122);

template <class T, std::size_t n>
const T& one_of(const T (&all)[n], std::mt19937_64& random) {
  return all[random() % n];
}

/// A few rows and keys, some of which hold NaN or an infinity.
Problem tiny_nonfinite_problem(index number) {
  std::mt19937_64 random(drawn_by + static_cast<std::uint64_t>(number) * 0x9E3779B97F4A7C15u);
  static const char* const masks[] = {
      "", "", "", " mask=causal", " mask=causal:top_left", " mask=window:1:0", " mask=dense:50", " mask=~window:0:0"};
  static const char* const scores[] = {"",
                                       "",
                                       " score=softcap:2",
                                       " score=bias:pair",
                                       " score=bias:key",
                                       " score=sink:head",
                                       " score=softcap:2&bias:full&sink:head"};
  static const char* const drops[] = {"", "", " dropout=0.4"};
  const index group = 1 + static_cast<index>(random() % 2);
  const index keys = 1 + static_cast<index>(random() % 9), queries = 1 + static_cast<index>(random() % 6);
  const std::string lengths = random() % 6 == 0 ? fmt::format(" lengths={}", random() % (keys + 1)) : "";
  return parse_problem(fmt::format("shape=1x{}/1x{}x{}x{}:{}{}{}{}{} fill=nonfinite pass=forward+backward seed={}",
                                   group, queries, keys, 1 + random() % 3, 1 + random() % 3, lengths,
                                   one_of(masks, random), one_of(scores, random), one_of(drops, random),
                                   random() % 1000000));
}

class Styles : public testing::TestWithParam<Style> {
 protected:
  const SharedKernel kernel = styles::kernel(GetParam());
  index conclusive = 0;

  void judge_by(const char* name, const Problem& problem) {
    const Property& property = *Registry<Property>::find(name);
    const Verdict verdict = examine_case(*kernel, property, problem);
    EXPECT_NE(verdict.outcome, Outcome::failed)
        << verdict.reason << ": " << verdict.evidence << "\n"
        << GetParam().name << " --property=" << name << " '" << problem.text() << "'";
    conclusive += verdict.outcome == Outcome::passed;
  }
};

// slow: judges many problems in each style
TEST_P(Styles, MayPutNanWhereTheirOrderPutsIt) {
  const index problems = effort(400, 20000, 100000);
  for (index number = 0; number < problems; ++number)
    for (const char* name : {"value_bound", "gradient_bound", "gradient_zeros", "empty_rows"})
      judge_by(name, tiny_nonfinite_problem(number));
  fmt::print("{}: {} tiny problems with NaN and infinities, {} conclusive cases, seed {}\n", GetParam().name, problems,
             conclusive, drawn_by);
  EXPECT_GE(conclusive, problems / 2);
}

// slow: judges many problems in each style
TEST_P(Styles, MayRoundWhereTheirOrderRounds) {
  const index problems = effort(40, 1000);
  for (index number = 0; number < problems; ++number) {
    Problem problem = random_problem(drawn_by, number);
    problem.score = Score();
    problem.dropout = 0;
    problem.backward = false;
    problem.input = problem.output = dtype("f32");
    for (const char* name : {"exact_mean", "exact_selection", "exact_keys", "exact_mask"}) judge_by(name, problem);
  }
  EXPECT_GE(conclusive, problems / 2);
}

TEST_P(Styles, AreNotCalledWrongByAnyProperty) {
  std::vector<Problem> problems;
  for (index number = 0; number < effort(6, 300); ++number) {
    Problem problem = random_problem(drawn_by, number);
    problem.input = problem.output = dtype("f32");
    problem.backward = number % 2;
    problems.push_back(problem);
  }
  const KernelRun run = examine(kernel, {.problems = problems});
  for (const Failure& failure : run.failures)
    if (failure.property)
      ADD_FAILURE() << failure.verdict.reason << ": " << failure.verdict.evidence << "\n"
                    << repro_line(GetParam().name, *failure.property, failure.first);
}

INSTANTIATE_TEST_SUITE_P(Each, Styles, testing::ValuesIn(styles::all()), by_parameter);

}  // namespace
}  // namespace attestone
