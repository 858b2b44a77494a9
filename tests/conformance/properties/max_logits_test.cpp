// SPDX-License-Identifier: Apache-2.0
// The largest scores: right kernels are never accused, wrong ones are seen in them alone, and doors hand them on.
#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <omp.h>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "backends/plugins/program/program_kernel.hpp"
#include "backends/plugins/shared_library/plugin_kernel.hpp"
#include "conformance/problems/generate.hpp"
#include "conformance/run/run.hpp"
#include "mutants/hosts/tiled.hpp"
#include "reference/registry.hpp"
#include "tests/one_in.hpp"
#include "tests/places.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

const std::uint64_t drawn_by = seed(20261126);

/// Random problems in turn in the three formats, which ask for all answers of the forward pass, or for maxima alone.
std::vector<Problem> random_problems(index first, index count) {
  std::vector<Problem> problems;
  for (index number = first; number < first + count; ++number) {
    Problem problem = random_problem(drawn_by, number);
    problem.drop_gradients();
    problem.input = dtype(number % 3 == 0 ? "f32" : number % 3 == 1 ? "f16" : "bf16");
    problem.output = number % 2 == 0 ? problem.input : problem.output;
    problem.wants = {TensorName::out, TensorName::log_sum_exp, TensorName::max_logits};
    if (number % 5 == 0) problem.wants = {TensorName::max_logits};
    problems.push_back(problem);
  }
  return problems;
}

KernelRun judged(const SharedKernel& kernel, std::vector<Problem> problems, std::vector<const char*> names) {
  RunOptions options{.problems = std::move(problems), .threads = omp_get_max_threads(), .explain = false};
  for (const char* name : names) options.properties.push_back(Registry<Property>::find(name));
  return examine(kernel, options);
}

constexpr std::array kernels{"flash", "flash:maximum=fixed", "flash:flash_min_seq_length=20", "dense", "tiled"};

class RightMaxLogits : public testing::TestWithParam<std::size_t> {};

// slow: judges many problems
TEST_P(RightMaxLogits, AreNeverAccused) {
  const std::string name = kernels.at(GetParam());
  const SharedKernel kernel = name == "tiled" ? tiled_twin() : make_kernel(name);
  const index count = effort(300, 3000);
  const KernelRun run = judged(kernel, random_problems(static_cast<index>(GetParam()) * count, count),
                               {"value_bound", "empty_rows", "guards", "constant_bias", "key_shift_irrelevant",
                                "keys_twice", "value_scaled", "wanted_alone"});
  for (const Failure& failure : run.failures)
    ADD_FAILURE() << failure.verdict.reason << ": " << failure.verdict.evidence << "\n" << failure.first.text();
  EXPECT_TRUE(run.own_failures.empty()) << run.own_failures.front();
  fmt::print("{}, seed {}: {} problems, {} cases, {} passed\n", name, drawn_by, count, run.cases.size(),
             run.counts.at(Outcome::passed));
  EXPECT_GT(run.counts.at(Outcome::passed), count);
}

INSTANTIATE_TEST_SUITE_P(Every, RightMaxLogits, testing::Range(std::size_t{0}, kernels.size()),
                         [](const auto& test) { return name_of_test(kernels.at(test.param)); });

Verdict verdict(const SharedKernel& kernel, const char* property, const std::string& problem) {
  return examine_case(*kernel, *Registry<Property>::find(property), parse_problem(problem));
}

/// Flash with its largest scores changed by `change(problem, query, maximum)`.
template <class Change>
SharedKernel with_maxima(Change change) {
  return changed(make_kernel("flash"), {.forward = [=](const Kernel& flash, const Problem& problem,
                                                       const Arguments& arguments, Device& device) {
                   flash.forward(problem, arguments, device);
                   if (!arguments.max_logits) return;
                   const View& maxima = *arguments.max_logits;
                   for_each_element(maxima, [&](index b, index h, index i, index) {
                     maxima.set(b, h, i, 0, change(problem, i, maxima.value(b, h, i, 0)));
                   });
                 }});
}

TEST(MaxLogits, AreJudgedWhereTheyAreAskedFor) {
  const SharedKernel wrong = with_maxima([](const Problem&, index i, double x) { return i == 3 ? x + 0.01 : x; });
  const std::string problem = "shape=1x2x9x17x8";
  EXPECT_EQ(verdict(wrong, "value_bound", problem).outcome, Outcome::passed);
  for (const std::string more : {" wants=max_logits", " wants=out+log_sum_exp+max_logits"}) {
    const Verdict seen = verdict(wrong, "value_bound", problem + more);
    EXPECT_EQ(seen.reason, "wrong-max-logits");
    ASSERT_TRUE(seen.worst);
    EXPECT_EQ(seen.worst->tensor, "max_logits");
    EXPECT_EQ(seen.worst->query, 3);
    EXPECT_EQ(seen.by_place.back().tensor, "max_logits");
    EXPECT_EQ(seen.by_place.back().where, "query 3");
  }
}

TEST(MaxLogits, OfAnEmptyRowAreMinusInfinity) {
  const SharedKernel zero = with_maxima(
      [](const Problem&, index, double x) { return x == -std::numeric_limits<double>::infinity() ? 0 : x; });
  for (const std::string sink : {"", " score=sink:head"}) {
    const std::string problem = "shape=1x2x9x5x8 mask=causal wants=out+log_sum_exp+max_logits" + sink;
    EXPECT_EQ(verdict(zero, "value_bound", problem).reason, "wrong-non-finite");
    EXPECT_EQ(verdict(zero, "empty_rows", problem).reason, "empty-row");
    EXPECT_EQ(verdict(make_kernel("flash"), "empty_rows", problem).outcome, Outcome::passed);
  }
}

TEST(MaxLogits, AreRefusedByWhoeverDoesNotComputeThem) {
  for (const char* name : {"chunked", "split", "decode"}) {
    const Verdict refused = verdict(make_kernel(name), "value_bound", "shape=1x2x9x17x8 wants=max_logits");
    EXPECT_EQ(refused.outcome, Outcome::skipped) << name;
    EXPECT_EQ(refused.evidence, "computes no max_logits") << name;
  }
}

/// Properties that relate or merge answers check the maxima too.
TEST(MaxLogits, RelationsSeeThem) {
  const SharedKernel forgets = with_maxima([](const Problem& problem, index, double x) {
    return problem.score.bias_tensor() == "key" ? x - 2 : x;  // a bias of 2 everywhere
  });
  EXPECT_EQ(verdict(forgets, "constant_bias", "shape=1x2x9x17x8 wants=out+log_sum_exp+max_logits").reason,
            "neutral-term");
}

SharedKernel plugin(const std::string& name) {
  return plugin_kernel(fmt::format("{}/plugins/{}.so", program_folder(), name));
}

TEST(MaxLogits, PassThroughBothDoors) {
  const SharedKernel program = program_kernel(
      fmt::format("python3 -S {}/tests/hostile_programs/tensors.py decoy_gives_max_logits", source_folder()));
  for (const SharedKernel& kernel : {plugin("gives_max_logits"), program})
    for (const char* wants : {"max_logits", "out+max_logits", "out+log_sum_exp+max_logits", "out"}) {
      const std::string problem = "shape=2x4/2x5x9x8 lengths=9+3 mask=causal wants=" + std::string(wants);
      for (const char* property : {"value_bound", "guards", "empty_rows"}) {
        const Verdict seen = verdict(kernel, property, problem);
        EXPECT_EQ(seen.outcome, Outcome::passed)
            << kernel->name() << " " << wants << " " << property << ": " << seen.reason << " " << seen.evidence;
      }
    }
}

TEST(MaxLogits, AreNotAskedOfLibrariesThatDoNotDeclareThem) {
  const Verdict refused = verdict(plugin("differentiates"), "value_bound", "shape=1x2x5x9x8 wants=out+max_logits");
  EXPECT_EQ(refused.outcome, Outcome::skipped);
  EXPECT_EQ(refused.evidence, "computes no max_logits");
}

}  // namespace
}  // namespace attestone
