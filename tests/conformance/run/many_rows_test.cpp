// SPDX-License-Identifier: Apache-2.0
// A million rows of correct kernels, on the inputs where naive probabilistic bounds fail, and no alarm.
// slow: judges many problems
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "conformance/run/run.hpp"
#include "reference/registry.hpp"
#include "tests/backends/published_kernels.hpp"
#include "tests/conformance/run/truncating_kernel.hpp"
#include "tests/effort.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

/// Problems of one kind, and their share of all rows that are judged.
struct Kind {
  const char* name;
  std::string problem;
  double share;
};

std::vector<Kind> kinds() {
  std::vector<Kind> all{
      {"usual", "shape=1x8x16x128x32 mask=causal", 0.3},
      {"near ties", "shape=1x8x16x256x32 fill=near_ties", 0.2},
      {"repeated scores", "shape=1x8x16x100x16 fill=few_valued", 0.1},
      {"tied maxima", "shape=1x8x16x40x16 fill=tied_maxima", 0.1},
      {"V with an offset", "shape=1x8x16x512x32 fill=channel_offset", 0.15},
      {"a tail that weighs", "shape=1x8x16x256x16 fill=tail_mass", 0.1},
      {"one sign", "shape=1x8x16x300x16 fill=uniform", 0.05},
  };
  if (effort(0, 1)) {
    all.push_back({"near ties of 65,536 keys", "shape=1x1x8x65536x16:8 fill=near_ties", 0.00016});
    all.push_back({"V with an offset, 65,536 keys", "shape=1x1x8x65536x16:8 fill=channel_offset", 0.00016});
  }
  return all;
}

class ManyRows : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(ManyRows, AreJudgedWithoutAFalseAlarm) {
  const auto& [name, format] = GetParam();
  const SharedKernel kernel = name == "truncating" ? std::make_shared<TruncatingKernel>() : make_kernel(name);
  const Property& value_bound = *Registry<Property>::find("value_bound");
  const auto wanted = static_cast<double>(effort(800, 100'000));
  index judged = 0;
  for (const Kind& kind : kinds()) {
    Problem problem = parse_problem(kind.problem);
    problem.input = problem.output = dtype(format);
    const index rows = problem.shape.heads * problem.shape.queries;
    const auto problems = static_cast<index>(std::ceil(wanted * kind.share / static_cast<double>(rows)));
    double r_det = 0, r_prob = 0;
    for (problem.seed = 1; problem.seed <= static_cast<std::uint64_t>(problems); ++problem.seed) {
      const Verdict verdict = examine_case(*kernel, value_bound, problem);
      EXPECT_NE(verdict.outcome, Outcome::failed) << verdict.evidence << "\n"
                                                  << repro_line(Candidate(kernel).option.text(), value_bound, problem);
      if (!verdict.worst) continue;
      judged += rows;
      r_det = std::max(r_det, verdict.worst->r_det), r_prob = std::max(r_prob, verdict.worst->r_prob);
    }
    fmt::print("{:<30}{:>8} rows, worst r_det {:.3f}, worst r_prob {:.3f}\n", kind.name, problems * rows, r_det,
               r_prob);
  }
  fmt::print("{} {}: {} rows judged\n", name, format, judged);
  EXPECT_GE(static_cast<double>(judged), wanted);
}

std::vector<std::string> with_truncating(std::vector<std::string> names) {
  names.emplace_back("truncating");
  return names;
}

INSTANTIATE_TEST_SUITE_P(Every, ManyRows,
                         testing::Combine(testing::ValuesIn(with_truncating(names_of_kernels_with_gradients())),
                                          testing::Values("f32", "f16", "bf16")),
                         by_parameter);

}  // namespace
}  // namespace attestone
