// SPDX-License-Identifier: Apache-2.0
// Schedules: kernels keep what they declare, mutants break it and nothing else, and verdicts name the step.
#include "conformance/properties/metamorphic/schedule.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "backends/changed_kernel.hpp"
#include "conformance/run/run.hpp"
#include "mutants/hosts/scheduled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"
#include "tests/backends/published_kernels.hpp"
#include "tests/conformance/run/random_kernel.hpp"
#include "tests/effort.hpp"
#include "tests/random_problem.hpp"

namespace attestone {
namespace {

std::vector<const Property*> invariances() {
  std::vector<const Property*> all;
  for (const auto& [name, property] : Registry<Property>::all())
    if (property.invariance != Invariance::none) all.push_back(&property);
  return all;
}

const Property& property_of(Invariance invariance) {
  for (const Property* property : invariances())
    if (property->invariance == invariance) return *property;
  throw std::out_of_range("every invariance has a property");
}

/// Adds `noise` to every element of O wherever the call is one that `here` means.
SharedKernel disturbed(std::function<bool(const Problem&)> here, Invariance declared, double noise = 0x1p-10) {
  const auto forward = [here = std::move(here), noise](const Kernel& honest, const Problem& problem,
                                                       const Arguments& arguments, Device& device) {
    honest.forward(problem, arguments, device);
    if (!here(problem)) return;
    for_each_element(arguments.out, [&](index b, index h, index q, index c) {
      arguments.out.set(b, h, q, c, arguments.out.value(b, h, q, c) + noise);
    });
  };
  return changed(declaring(make_kernel("decode"), declared), {.forward = forward});
}

Verdict verdict_on(const Kernel& kernel, Invariance invariance, const char* problem) {
  return examine_case(kernel, property_of(invariance), parse_problem(problem));
}

TEST(Schedules, TryTilesAndTheirNeighbours) {
  const std::vector<index> sizes = sizes_around(21, 1);
  EXPECT_EQ(std::vector<index>(sizes.begin(), sizes.begin() + 14),
            (std::vector<index>{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 20, 22, 31}));
  EXPECT_EQ(sizes.back(), 4097);
  EXPECT_EQ(sizes_around(0, 0).front(), 1);
  EXPECT_EQ(sizes_around(1, 1).front(), 2);
}

/// The least step lies between the sizes that are tried, and is found.
TEST(Schedules, NameTheStepAtWhichBitsChange) {
  struct Step {
    Invariance invariance;
    std::function<bool(const Problem&)> here;
    const char *problem, *says;
  };
  const Step steps[] = {
      {Invariance::batch, [](const Problem& p) { return p.shape.batch >= 23; }, "shape=2x1x3x4x2",
       "when the batch grows from 22 to 23: out[b0, h0, q0, c0] is "},
      {Invariance::batch, [](const Problem& p) { return p.shape.batch < 5; }, "shape=11x1x3x4x2",
       "when the batch shrinks from 5 to 4: "},
      {Invariance::batch, [](const Problem& p) { return p.shape.queries > 10; }, "shape=2x1x3x4x2",
       "when a sequence of length 11 joins the batch, not when one of length 10 does: "},
      {Invariance::heads, [](const Problem& p) { return p.shape.kv_heads > 5; }, "shape=1x4/2x3x4x2",
       "when the number of kv heads grows from 5 to 6: "},
      {Invariance::chunks, [](const Problem& p) { return p.shape.queries < 12; }, "shape=1x1x64x64x2 mask=causal",
       "when 64 queries come in chunks of 11, not in chunks of 12: "},
      {Invariance::chunks, [](const Problem& p) { return p.shape.queries == 1; }, "shape=1x1x5x64x2",
       "when 5 queries come in chunks of 1, not in chunks of 2: "},
      {Invariance::padding, [](const Problem& p) { return p.shape.keys > 37; }, "shape=2x1x3x30x2 lengths=20+9",
       "when the padding of the keys grows from 17 to 18: "},
      {Invariance::padding, [](const Problem& p) { return p.shape.queries > 3; }, "shape=1x1x3x30x2",
       "when the padding of the queries grows from 0 to 1: "},
      {Invariance::hidden_keys, [](const Problem& p) { return p.shape.keys > 79; }, "shape=1x1x40x70x2 mask=causal",
       "when the number of keys grows from 79 to 80, the last ones behind the mask: "},
      {Invariance::hidden_keys, [](const Problem& p) { return p.shape.keys < 23; }, "shape=1x1x40x40x2 mask=causal",
       "when the number of keys shrinks from 23 to 22, the last ones behind the mask: "},
  };
  for (const Step& step : steps) {
    const SharedKernel kernel = disturbed(step.here, step.invariance);
    const Verdict verdict = verdict_on(*kernel, step.invariance, step.problem);
    EXPECT_EQ(verdict.reason, "schedule") << step.says;
    EXPECT_NE(verdict.evidence.find(step.says), std::string::npos) << step.says << '\n' << verdict.evidence;
  }
}

TEST(Schedules, AskOnlyWhatIsDeclared) {
  const auto large_batches = [](const Problem& problem) { return problem.shape.batch > 2; };
  const Problem problem = parse_problem("shape=1x1x4x33x2");
  const KernelRun run =
      examine(disturbed(large_batches, Invariance::heads | Invariance::padding), {.problems = {problem}});
  EXPECT_EQ(run.by_property.count("batch_invariant"), 0u);
  EXPECT_EQ(run.by_property.at("heads_invariant").at(Outcome::passed), 1);
  EXPECT_EQ(run.by_property.at("padding_invariant").at(Outcome::passed), 1);
  const KernelRun chosen = examine(disturbed(large_batches, Invariance::none),
                                   {.problems = {problem}, .properties = {&property_of(Invariance::batch)}});
  EXPECT_FALSE(chosen.decided());
  EXPECT_EQ(chosen.refusals.at("does not declare invariant=batch"), 1);
}

/// Where nothing can be compared there is no verdict; and a kernel without order is not accused of following a
/// schedule.
TEST(Schedules, AreNotGuessedAt) {
  const SharedKernel right = declaring(make_kernel("decode"), Invariance::batch | Invariance::hidden_keys);
  EXPECT_EQ(verdict_on(*right, Invariance::hidden_keys, "shape=1x1x4x4x2").outcome, Outcome::skipped);
  EXPECT_EQ(verdict_on(*right, Invariance::batch, "shape=1x1x0x4x2").outcome, Outcome::skipped);
  int calls = 0;
  const auto restless = [&calls](const Kernel& honest, const Problem& problem, const Arguments& arguments,
                                 Device& device) {
    honest.forward(problem, arguments, device);
    arguments.out.set(0, 0, 0, 0, ++calls);
  };
  EXPECT_EQ(verdict_on(*changed(right, {.forward = restless}), Invariance::batch, "shape=1x1x4x33x2").reason,
            "wrong-anyway");
  const auto refuses = [](const Problem& problem) {
    return problem.shape.batch == 1 ? Support{} : Support::refused("takes one sequence");
  };
  const SharedKernel alone = changed(right, {.supports = refuses});
  EXPECT_EQ(verdict_on(*alone, Invariance::batch, "shape=1x1x4x33x2").outcome, Outcome::skipped);
}

/// -0 is 0, and NaN is NaN, whatever its bits.
TEST(Schedules, CompareNumbers) {
  const auto answering = [](double usual, double in_large_batches) {
    const auto forward = [=](const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
      honest.forward(problem, arguments, device);
      for_each_element(arguments.out, [&](index b, index h, index q, index c) {
        arguments.out.set(b, h, q, c, problem.shape.batch > 2 ? in_large_batches : usual);
      });
    };
    return changed(declaring(make_kernel("decode"), Invariance::batch), {.forward = forward});
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const char* problem = "shape=1x1x1x1x1";
  EXPECT_EQ(verdict_on(*answering(0.0, -0.0), Invariance::batch, problem).outcome, Outcome::passed);
  EXPECT_EQ(verdict_on(*answering(nan, -nan), Invariance::batch, problem).outcome, Outcome::passed);
  EXPECT_EQ(verdict_on(*answering(nan, 0.0), Invariance::batch, problem).reason, "schedule");
  EXPECT_EQ(verdict_on(*answering(1.0, 1 + 0x1p-23), Invariance::batch, problem).reason, "schedule");
}

/// Lengths around tiles, sequences behind each other, what masks and biases add.
std::vector<Problem> problems_around_tiles() {
  return parse_problems(
      "shape=2x4/2x17x40x16,1x2x65x65x8,1x2/1x5x130x24:9,3x1x1x100x8,1x1x33x300x40 mask=full,causal,window:9:0 "
      "score=softcap:3,bias:head,sink:head dtype=f32,bf16 pass=forward,forward+backward");
}

// slow: judges many problems
TEST(Schedules, OurKernelsKeepWhatTheyDeclareSlow) {
  constexpr std::array<std::string_view, 3> formats{"f32", "bf16", "f16"};
  const unsigned seed = 20261126;
  std::mt19937_64 random(seed);
  for (const std::string& name : names_of_kernels_with_gradients()) {
    std::vector<Problem> problems = problems_around_tiles();
    std::erase_if(problems, [&](const Problem&) { return effort(random() % 8 != 0, false); });
    for (index n = 0; n < effort(30, 3000); ++n) problems.push_back(random_problem(random, formats));
    for (index n = 0; n < effort(30, 3000); ++n) problems.push_back(random_problem_with_gradients(random, formats));
    std::map<Invariance, index> passed, declared;
    for (std::size_t at = 0; at < problems.size(); ++at) {
      const std::string text = at % 3 == 0 ? name : random_kernel(name, seed + static_cast<unsigned>(at));
      const SharedKernel kernel = make_kernel(text);
      for (const Property* property : invariances()) {
        const Verdict verdict = examine_case(*kernel, *property, problems[at]);
        EXPECT_NE(verdict.outcome, Outcome::failed)
            << verdict.evidence << "\n"
            << repro_line("--kernel=" + quoted(text), *property, problems[at]) << "  (seed " << seed << ")";
        declared[property->invariance] += includes(kernel->numerics(problems[at]).invariant, property->invariance);
        passed[property->invariance] += verdict.outcome == Outcome::passed;
      }
    }
    for (const auto& [invariance, count] : passed) {
      fmt::print("{} {}: {} passed, declared {} times\n", name, text(invariance), count, declared[invariance]);
      EXPECT_GE(count, declared[invariance] / 20) << name;
    }
  }
}

// slow: judges many problems
TEST(Schedules, MutantsBreakNothingElseSlow) {
  std::vector<Problem> problems =
      parse_problems("shape=3x4/2x17x40x16,1x3x1x130x24:9 mask=full,causal dtype=f32 pass=forward+backward");
  std::map<Invariance, index> broken;
  for (const auto& [name, mutant] : Registry<Mutant>::all()) {
    const Property& property = *Registry<Property>::find(std::string(mutant.property));
    if (property.invariance == Invariance::none) continue;
    ++broken[property.invariance];
    std::vector<Problem> all = problems;
    all.push_back(parse_problem(mutant.problem));
    const KernelRun run = examine(mutant.kernel(), {.problems = all, .shrink = false});
    EXPECT_FALSE(run.conforms()) << name;
    for (const Failure& failure : run.failures)
      EXPECT_NE(failure.property->invariance, Invariance::none)
          << name << ", " << failure.property->name << ": " << failure.verdict.evidence;
    EXPECT_TRUE(examine(mutant.twin(), {.problems = all}).conforms()) << name;
  }
  EXPECT_EQ(broken.size(), invariance_words().size());
}

}  // namespace
}  // namespace attestone
