// SPDX-License-Identifier: Apache-2.0
// A mask, a bias, a number format, a layout and a fill, one file each: all are generated, judged, counted and
// explained.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "backends/plugins/shared_library/plugin_kernel.hpp"
#include "conformance/problems/unseen.hpp"
#include "conformance/program/command_line.hpp"
#include "conformance/run/run.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"
#include "tests/contains.hpp"
#include "tests/effort.hpp"
#include "tests/extensions/knowing_kernel.hpp"
#include "tests/newcomers.hpp"
#include "tests/places.hpp"
#include "tests/problem_digest.hpp"

namespace attestone {
namespace {

/// The features that the files beside this one add, as coverage names them.
const std::vector<std::string> additions{"mask=checkered", "clipped_distance", "dtype=e3m4", "layout=heads_innermost",
                                         "fill=powers_of_two"};

bool has(const std::vector<std::string>& features, const std::string& feature) {
  return std::ranges::find(features, feature) != features.end();
}

/// Problems of seed 1 with `feature`, forward and without dropout.
std::vector<Problem> drawn_with(const std::string& feature, std::size_t count) {
  std::vector<Problem> problems;
  for (index number = 0; problems.size() < count; ++number) {
    Problem problem = random_problem(1, number);
    problem.backward = false;
    problem.dropout = 0;
    if (has(features_of(problem), feature)) problems.push_back(problem);
  }
  return problems;
}

void expect_nobody_accused(const KernelRun& run) {
  EXPECT_TRUE(run.own_failures.empty()) << run.own_failures.front();
  for (const Failure& failure : run.failures)
    ADD_FAILURE() << run.kernel << ", " << failure.verdict.reason << ": " << failure.verdict.evidence << "\n"
                  << failure.first.text();
}

/// The output of the program.
std::string printed(const std::vector<const char*>& words) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_command_line(static_cast<int>(words.size()), words.data()), 0) << words.back();
  return testing::internal::GetCapturedStdout();
}

TEST(Extensions, AreGenerated) {
  std::map<std::string, index> met;
  for (index number = 0; number < 300; ++number) {
    const Problem problem = random_problem(1, number);
    EXPECT_EQ(parse_problem(problem.text()), problem) << problem.text();
    const std::vector<std::string> features = features_of(problem);
    for (const std::string& feature : additions) met[feature] += has(features, feature);
  }
  for (const std::string& feature : additions) EXPECT_GE(met[feature], 10) << feature;
}

TEST(Extensions, ChangeNoProblemButTheirOwn) {
  EXPECT_EQ(digest_of_settled_problems(), recorded_digest);
  for (index number = 0; number < 1000; ++number)
    if (const Problem problem = random_problem(1, number); !has_newcomer(problem)) {
      EXPECT_EQ(problem, settled_problem(1, number)) << problem.text();
    }
}

TEST(Extensions, AreAmongUnseenProblems) {
  std::set<std::string> met;
  for (std::uint64_t fingerprint = 0; fingerprint < 8; ++fingerprint) {
    const SharedKernel outside = changed(knowing_kernel(), {.fingerprint = fingerprint});
    for (const Problem& problem : unseen_problems(*outside))
      for (const std::string& feature : features_of(problem)) met.insert(feature);
  }
  for (const std::string& feature : additions) EXPECT_TRUE(met.count(feature)) << feature;
}

// slow: judges a suite
TEST(Extensions, AreJudgedAndCounted) {
  const index count = effort(3, 8);
  for (const std::string& feature : additions) {
    const std::vector<Problem> problems = drawn_with(feature, static_cast<std::size_t>(count));
    const KernelRun right = examine(knowing_kernel(), {.problems = problems});
    expect_nobody_accused(right);
    ASSERT_TRUE(right.coverage.count(feature)) << feature;
    EXPECT_GE(right.coverage.at(feature).at(Outcome::passed), count) << feature;
    const KernelRun wrong = examine(knowing_kernel(feature), {.problems = problems, .explain = false});
    EXPECT_FALSE(wrong.failures.empty()) << "wrong only with " << feature;
    EXPECT_GT(wrong.coverage.at(feature).at(Outcome::failed), 0) << feature;
  }
}

TEST(Extensions, AreRefusedOrAskedForAsBytesByKernelsThatDoNotKnowThem) {
  // The first two are so plain that nobody has another reason to refuse them.
  std::vector<Problem> problems{parse_problem("shape=1x2x9x9x8 layout=heads_innermost"),
                                parse_problem("shape=1x2x9x9x8 fill=powers_of_two")};
  for (const std::string& feature : additions)
    for (const Problem& problem : drawn_with(feature, 4)) problems.push_back(problem);
  std::vector<SharedKernel> kernels;
  for (const char* name : {"dense", "chunked", "flash"}) kernels.push_back(make_kernel(name));
  for (const char* name : {"lost_tail", "part_sums_not_rescaled"})
    kernels.push_back(Registry<Mutant>::find(name)->twin());
  kernels.push_back(plugin_kernel(fmt::format("{}/plugins/differentiates.so", program_folder())));
  for (const SharedKernel& kernel : kernels) {
    const KernelRun run = examine(kernel, {.problems = problems});
    expect_nobody_accused(run);
    std::vector<const char*> taken{"fill=powers_of_two"}, strange{"clipped_distance", "e3m4"};
    // A library takes the layouts that it names; a kernel of ours reads any strides.
    if (kernel->fingerprint())
      strange.push_back("heads_innermost");
    else
      taken.push_back("layout=heads_innermost");
    for (const char* feature : taken)
      EXPECT_TRUE(run.coverage.count(feature) && run.coverage.at(feature).count(Outcome::passed))
          << kernel->name() << feature;
    for (const char* what : strange)
      EXPECT_TRUE(std::ranges::any_of(run.refusals, [&](const auto& why) { return contains(why.first, what); }))
          << kernel->name() << " does not say that it refuses " << what;
  }
}

TEST(Extensions, AreExplained) {
  const std::map<const char*, const char*> explained{{"checkered", "squares of SIZE queries"},
                                                     {"mask=checkered:2", "q1   ##..##.."},
                                                     {"clipped_distance", "adds -x * min("},
                                                     {"score=clipped_distance:0.1&softcap:30", "adds -x * min("},
                                                     {"e3m4", "u = 2^-5"},
                                                     {"dtype=e3m4>f32", "IEEE style E3M4"},
                                                     {"heads_innermost", "batch, row, channel, head, packed"},
                                                     {"fill=powers_of_two", "products that are exact"}};
  for (const auto& [word, says] : explained) {
    const std::string text = printed({"attestone", "explain", word});
    EXPECT_TRUE(contains(text, says)) << word << "\n" << text;
  }
}

TEST(Extensions, AreListedAndCompleted) {
  const std::string completion = printed({"attestone", "completion", "bash"});
  const std::map<const char*, std::pair<const char*, const char*>> words{
      {"masks", {"checkered:SIZE", "'checkered:'"}},
      {"scores", {"clipped_distance:number", "'clipped_distance:'"}},
      {"dtypes", {"e3m4", "'e3m4'"}},
      {"layouts", {"heads_innermost", "'heads_innermost'"}},
      {"fills", {"powers_of_two", "'powers_of_two'"}},
      {"features", {"clipped_distance", "PROBLEM.score)"}}};
  for (const auto& [kind, word] : words) {
    EXPECT_TRUE(contains(printed({"attestone", "list", kind}), word.first)) << kind;
    EXPECT_TRUE(contains(completion, word.second)) << kind;
  }
}

}  // namespace
}  // namespace attestone
