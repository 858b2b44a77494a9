// SPDX-License-Identifier: Apache-2.0
// What a run says beyond its cases: a property that no case could decide is a kernel's fault only where one could have,
// and a requirement asks only for what the kernel's formats allow.
#include "conformance/run/conclusions.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sstream>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "conformance/reports/wording.hpp"
#include "reference/numerics/declaration.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Property& property(const char* name) { return *Registry<Property>::find(name); }

std::string reasons_of(const KernelRun& run) {
  std::string all;
  for (const Failure& failure : run.failures) all += failure.verdict.reason + ": " + failure.verdict.evidence + "\n";
  return all;
}

/// A right kernel that declares an output so coarse that zeros would pass.
SharedKernel loosely_declared() {
  const auto coarse = [](const Problem& problem) {
    Numerics numerics = default_numerics(problem.input, problem.output);
    numerics.output.cast.roundoff = 2;
    return numerics;
  };
  return changed(make_kernel("flash"), {.numerics = coarse});
}

/// A kernel that takes problems that `takes` accepts. It refuses all others, by its limits or when it is called.
template <class Takes>
SharedKernel limited(Takes takes, const std::string& why, bool declared = true) {
  const auto supports = [=](const Problem& p) { return takes(p) ? Support() : Support::refused(why); };
  const auto forward = [=](const Kernel& flash, const Problem& p, const Arguments& arguments, Device& device) {
    if (!takes(p)) throw KernelRefusal(why);
    flash.forward(p, arguments, device);
  };
  return declared ? changed(make_kernel("flash"), {.supports = supports})
                  : changed(make_kernel("flash"), {.forward = forward});
}

KernelRun required(const SharedKernel& kernel, const std::string& problems, const std::string& feature) {
  return examine(kernel, {.problems = parse_problems(problems),
                          .properties = {&property("value_bound")},
                          .required = {feature},
                          .suite = true});
}

// slow: judges many problems
TEST(Conclusions, FailNobodyForAProblemTypedByHandSlow) {
  for (const char* text : {"shape=1x2x33x40x16", "shape=1x2x5x9x8", "shape=1x8x100x100x64", "shape=1x2x24x24x16",
                           "shape=1x1x1x7x8", "shape=1x1x1x1x1"}) {
    const KernelRun run = examine(make_kernel("flash"), {.problems = {parse_problem(text)}});
    EXPECT_TRUE(run.conforms()) << text << '\n' << reasons_of(run);
    EXPECT_EQ(run.inconclusive.size(), 1u) << text;
  }
}

TEST(Conclusions, FailNobodyForWhatASuiteCannotDecide) {
  const SharedKernel flash = make_kernel("flash");
  EXPECT_FALSE(decidable(property("exact_mean"), *flash, parse_problem("shape=1x2x33x40x16")));
  EXPECT_TRUE(decidable(property("exact_mean"), *flash, parse_problem("shape=1x2x33x64x16")));
  const KernelRun weak =
      examine(make_kernel("flash"), {.problems = parse_problems("shape=1x2x33x40x16,1x1x1x7x8"), .suite = true});
  EXPECT_TRUE(weak.conforms()) << reasons_of(weak);
  EXPECT_EQ(weak.inconclusive.count("exact_mean"), 1u);
}

TEST(Conclusions, FailNobodyForWhatItsMergesLeaveUndecided) {
  const auto merging = [](const Problem& problem) {
    return with_declared(default_numerics(problem.input, problem.output), "merge.form=sigmoid merge.parts=4", "it");
  };
  const SharedKernel rings = changed(make_kernel("flash"), {.numerics = merging});
  const Problem problem = parse_problem("shape=1x2x33x64x16");
  EXPECT_FALSE(decidable(property("exact_mean"), *rings, problem));
  const KernelRun run = examine(rings, {.problems = {problem}, .properties = {&property("exact_mean")}, .suite = true});
  EXPECT_TRUE(run.failures.empty()) << reasons_of(run);
  EXPECT_EQ(run.inconclusive.count("exact_mean"), 1u);
}

TEST(Conclusions, FailAKernelWhoseDeclarationLeavesASuiteNothingToDecide) {
  const RunOptions options{.problems = parse_problems("shape=1x2x33x40x16 dtype=f32,bf16"),
                           .properties = {&property("value_bound")},
                           .suite = true};
  EXPECT_TRUE(examine(make_kernel("flash"), options).conforms());
  const KernelRun run = examine(loosely_declared(), options);
  ASSERT_EQ(run.failures.size(), 1u);
  EXPECT_EQ(run.failures[0].verdict.reason, "never-conclusive");
  RunOptions typed = options;
  typed.suite = false;
  const KernelRun note = examine(loosely_declared(), typed);
  EXPECT_TRUE(note.failures.empty());
  EXPECT_EQ(note.inconclusive.count("value_bound"), 1u);
}

TEST(Conclusions, RequireNothingOfFormatsThatAKernelDoesNotTake) {
  const auto f32_only = [](const Problem& p) { return p.input.name == "f32"; };
  for (const char* masks : {"full,causal", "causal"})
    for (const bool declared : {true, false}) {
      const KernelRun run = required(limited(f32_only, "does not take that format", declared),
                                     fmt::format("shape=1x1x8x8x8 mask={} dtype=f32,bf16,f16", masks), "causal");
      EXPECT_TRUE(run.conforms()) << declared << reasons_of(run);
    }
}

TEST(Conclusions, RequireTheFeatureInEveryFormatThatIsTaken) {
  const auto no_causal_bf16 = [](const Problem& p) { return p.input.name == "f32" || p.mask.is_full(); };
  const std::string problems = "shape=1x1x8x8x8 mask=full,causal dtype=f32,bf16";
  for (const bool declared : {true, false}) {
    const KernelRun run = required(limited(no_causal_bf16, "no causal bf16", declared), problems, "causal");
    ASSERT_EQ(run.failures.size(), 1u) << declared;
    EXPECT_EQ(run.failures[0].verdict.evidence, "refused 1 problems with 'causal'");
  }
}

TEST(Conclusions, RequireNothingOfWhatALimitBesideTheFeatureForbids) {
  const auto small = [](const Problem& p) { return p.shape.keys <= 8; };
  const std::string problems = "shape=1x1x8x8x8,1x1x8x9x8 mask=full,causal";
  for (const std::string& all : {problems, std::string("shape=1x1x8x8x8,1x1x8x9x8 mask=causal")})
    EXPECT_TRUE(required(limited(small, "does not take so many keys"), all, "causal").conforms());
  const KernelRun when_called = required(limited(small, "does not take so many keys", false), problems, "causal");
  EXPECT_FALSE(when_called.conforms()) << "what it refuses when it is called is no declared limit";
}

TEST(Conclusions, RequireAConclusiveCase) {
  const KernelRun run = required(make_kernel("flash"), "shape=1x1x8x8x8", "causal");
  ASSERT_EQ(run.failures.size(), 1u);
  EXPECT_EQ(run.failures[0].verdict.evidence, "no conclusive case with 'causal'");
}

/// A kernel that answers 1.3 times the truth, and declares an output so coarse that this conforms.
SharedKernel too_large() {
  const auto coarse = [](const Problem& problem) {
    return with_declared(default_numerics(problem.input, problem.output), "output_roundoff=0.4", "it");
  };
  const auto forward = [](const Kernel& flash, const Problem& problem, const Arguments& arguments, Device& device) {
    flash.forward(problem, arguments, device);
    const auto& [batches, heads, rows, channels] = arguments.out.extents();
    for (index b = 0; b < batches; ++b)
      for (index h = 0; h < heads; ++h)
        for (index i = 0; i < rows; ++i)
          for (index c = 0; c < channels; ++c) arguments.out.set(b, h, i, c, 1.3 * arguments.out.value(b, h, i, c));
  };
  return changed(make_kernel("flash"), {.numerics = coarse, .forward = forward});
}

TEST(Conclusions, SayWhatIsLooserThanTheDefaultClass) {
  const RunOptions options{.problems = parse_problems("shape=1x1x8x8x8 dtype=f32,bf16"),
                           .properties = {&property("value_bound")}};
  const KernelRun run = examine(too_large(), options);
  EXPECT_TRUE(run.conforms()) << reasons_of(run);
  EXPECT_EQ(headline(run), "conforms to what it declares, which is looser than bf16-P and fp32");
  EXPECT_EQ(looser_texts(run),
            (std::vector<std::string>{"looser than bf16-P: output_roundoff=0.4 (bf16-P: 0.00390625)",
                                      "looser than fp32: output_roundoff=0.4 (fp32: 5.960464477539063e-08)"}));
  for (const auto& [name, format] : Registry<ReportFormat>::all()) {
    std::ostringstream report;
    format.write({.version = "1", .instruction_set = "any", .suite = "typed", .runs = {run}}, {}, report);
    EXPECT_NE(report.str().find("looser"), std::string::npos) << name;
    EXPECT_NE(report.str().find("0.00390625"), std::string::npos) << name << report.str();
  }
  EXPECT_FALSE(examine(make_kernel("flash"), options).is_looser());
  EXPECT_EQ(headline(examine(make_kernel("flash"), options)), "conforms");
}

TEST(Conclusions, PinTheDefaultClass) {
  RunOptions options{.problems = parse_problems("shape=1x1x8x8x8"),
                     .properties = {&property("value_bound")},
                     .required = {std::string(default_class)}};
  EXPECT_TRUE(examine(make_kernel("flash"), options).conforms());
  const KernelRun run = examine(too_large(), options);
  ASSERT_EQ(run.failures.size(), 1u);
  EXPECT_EQ(run.failures[0].verdict.reason, "required");
  EXPECT_EQ(run.failures[0].verdict.evidence,
            "declares arithmetic looser than fp32: output_roundoff=0.4 (fp32: 5.960464477539063e-08)");
}

/// So that no bundled kernel is headlined.
TEST(Conclusions, BundledKernelsAreHeldToTheDefaultClasses) {
  for (const std::string name : {"dense", "flash", "chunked"})
    for (const std::string dtypes : {"f32", "f16", "bf16", "f16>f32", "bf16>f32"})
      for (const std::string pass : {"", " pass=forward+backward"}) {
        const Problem problem = parse_problem("shape=1x1x8x100x8 dtype=" + dtypes + pass);
        const auto looser = looser_fields(make_kernel(name)->numerics(problem), problem.input, problem.output);
        EXPECT_TRUE(looser.empty()) << name << " " << dtypes << pass << ": " << looser.front().name;
      }
}

}  // namespace
}  // namespace attestone
