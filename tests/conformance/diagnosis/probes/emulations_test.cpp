// SPDX-License-Identifier: Apache-2.0
// What may be said of kernels whose arithmetic and faults are known, because they are made here: the right class, the
// right mask, the right variant, or nothing.
// slow: emulates every kernel
#include "tests/conformance/diagnosis/probes/emulations.hpp"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <set>

#include "backends/changed_kernel.hpp"
#include "conformance/diagnosis/diagnose.hpp"
#include "conformance/diagnosis/probes/effective_mask.hpp"
#include "conformance/diagnosis/probes/effective_scores.hpp"
#include "conformance/diagnosis/probes/precision_class.hpp"
#include "conformance/diagnosis/probes/read_out.hpp"
#include "conformance/run/run.hpp"
#include "conformance/trial/trial.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

constexpr double hidden = -std::numeric_limits<double>::infinity();

double bf16(double x) { return with_bits(x, 8); }

Emulation in_bf16_throughout() {
  return {.operand = bf16, .product = bf16, .score = bf16, .weight = bf16, .sum = bf16, .out = bf16};
}
Emulation in_f16_throughout() {
  return {.operand = in_f16, .product = in_f16, .score = in_f16, .weight = in_f16, .sum = in_f16, .out = in_f16};
}

/// The findings about a kernel that are allowed; all others are errors.
struct Allowed {
  std::set<std::string> variants = {}, classes = {};
  bool mask = false, scores = false;
};

const char* const problems[] = {
    "shape=1x2x5x19x16 mask=causal",   "shape=2x2/1x3x40x8",
    "shape=1x1x1x17x4 fill=ties",      "shape=1x2x4x20x16 dtype=f16",
    "shape=1x2x4x20x16 dtype=bf16",    "shape=1x1x7x9x6:3 fill=uniform",
    "shape=1x1x6x33x32 fill=wide",     "shape=1x1x3x5x4 score=softcap:4",
    "shape=2x1x6x9x4 lengths=9+5",     "shape=1x2x4x12x8 score=sink:head",
    "shape=1x1x16x64x2 fill=monotone", "shape=1x1x4x8x16 scale=1e-7",
};

/// Diagnoses the kernel on all problems, allows no other findings, and returns how many there were.
index say_only(const Kernel& kernel, const Allowed& allowed) {
  index said = 0;
  for (const char* text : problems) {
    const Problem problem = parse_problem(text);
    for (const Finding& finding : diagnose(kernel, problem)) {
      ++said;
      EXPECT_TRUE(allowed.variants.count(finding.name) || allowed.variants.count("*"))
          << kernel.name() << " " << text << ": " << finding.name;
    }
    if (const auto worthy = worthy_class(kernel, problem)) {
      ++said;
      EXPECT_TRUE(allowed.classes.count(std::string(worthy->is->name)))
          << kernel.name() << " " << text << ": " << worthy->is->name;
    }
    const auto mask = wrong_mask(kernel, problem);
    said += mask ? 1 : 0;
    EXPECT_TRUE(!mask || allowed.mask) << kernel.name() << " " << text
                                       << fmt::format("\n{}", fmt::join(mask->picture(), "\n"));
    const auto scores = wrong_scores(kernel, problem);
    said += std::ssize(scores);
    EXPECT_TRUE(scores.empty() || allowed.scores)
        << kernel.name() << " " << text << " " << scores.front().q_k << " becomes " << scores.front().got;
  }
  return said;
}

std::string class_of(const Kernel& kernel) {
  const auto worthy = worthy_class(kernel, parse_problem("shape=1x2x5x19x16"));
  return worthy ? std::string(worthy->is->name) : "";
}

TEST(Emulations, NothingIsSaidOfARightKernel) { EXPECT_EQ(say_only(*Emulation{}.kernel("plain"), {}), 0); }

TEST(Emulations, TheClassOfAKernelIsNamedAndNothingElse) {
  const auto named = [](const Emulation& emulation, const std::string& name) {
    const SharedKernel kernel = emulation.kernel(name);
    EXPECT_EQ(class_of(*kernel), name);
    say_only(*kernel, {.classes = {name}});
  };
  named({.weight = bf16}, "bf16-P");
  named({.weight = in_f16}, "f16-P");
  named({.score = bf16}, "bf16-S");
  named({.score = in_f16}, "f16-S");
  named({.operand = [](double x) { return with_bits(x, 11); }}, "tf32");
  named({.operand = bf16}, "bf16-QK");
  const auto cut = [](double x) { return cut_to_bits(x, 14); };
  named({.product = cut, .sum = cut}, "14-bit accumulator");
  named({.out = bf16}, "bf16-O");
  named({.score = bf16, .weight = bf16}, "bf16-S-P");
  named(in_bf16_throughout(), "bf16");
  named(in_f16_throughout(), "f16");
}

/// Weights that are cut to bf16 are still weights in bf16.
TEST(Emulations, TruncationIsSeenAsTheFormatItEndsIn) {
  say_only(*Emulation{.weight = [](double x) { return cut_to_bits(x, 8); }}.kernel("cut"), {.classes = {"bf16-P"}});
}

TEST(Emulations, WhatIsNoRoundingHasNoClass) {
  for (const double denominator : {0.9, 0.995, 0.9995, 1.001, 1.5})
    EXPECT_EQ(say_only(*Emulation{.denominator = denominator}.kernel("short denominator"), {}), 0) << denominator;
  for (const index tile : {4, 16}) {
    const Emulation lost{
        .pair = [tile](const Pair& at, double s) { return at.key >= 32 / tile * tile / 2 ? hidden : s; }};
    say_only(*lost.kernel("half of the keys"), {.variants = {"*"}, .mask = true});
  }
  const Emulation noisy{.weight = [](double p) { return p * (1 + 1e-4 * std::sin(1e4 * p)); }};
  say_only(*noisy.kernel("a rough exponential"), {});
}

TEST(Emulations, AHiddenKeyIsNoScore) {
  for (const index key : {0, 1, 3}) {
    const Emulation hides{.pair = [key](const Pair& at, double s) { return at.key == key ? hidden : s; }};
    EXPECT_GT(say_only(*hides.kernel("hides a key"), {.variants = {"*"}, .mask = true}), 0);
  }
}

TEST(Emulations, NonsenseIsCalledNothing) {
  EXPECT_EQ(say_only(*answering("NaN", [](auto&, auto&, auto&, index) { return std::nan(""); }), {}), 0);
  EXPECT_EQ(say_only(*answering("constant", [](auto&, auto&, auto&, index) { return 0.25; }), {}), 0);
  EXPECT_EQ(say_only(*answering("first row of V",
                                [](const Problem& p, const Arguments& a, const Pair& at, index c) {
                                  return a.value.value(at.batch, p.shape.kv_head(at.head), 0, c);
                                }),
                     {.mask = true}) > 0,
            true);
  auto draws = std::make_shared<std::uint64_t>(0);
  EXPECT_EQ(say_only(*answering("garbage",
                                [draws](auto&, auto&, auto&, index) {
                                  *draws = *draws * 6364136223846793005u + 1442695040888963407u;
                                  return static_cast<double>(*draws >> 40) * 0x1p-24 - 0.25;
                                }),
                     {}),
            0);
}

TEST(Emulations, ZerosAreZerosAndTheMeanIsTheMean) {
  EXPECT_GT(say_only(*answering("zeros", [](auto&, auto&, auto&, index) { return 0.0; }), {.variants = {"all zeros"}}),
            0);
  EXPECT_GT(say_only(*Emulation{.score = [](double) { return 0.0; }}.kernel("mean"),
                     {.variants = {"mean of V"}, .scores = true}),
            0);
}

/// The answer depends on how often the kernel was asked, so no two probes agree.
TEST(Emulations, AKernelWithStateIsNotReadFrom) {
  auto calls = std::make_shared<int>(0);
  const auto moody = [calls](const Kernel& right, const Problem& problem, const Arguments& arguments, Device& device) {
    right.forward(problem, arguments, device);
    if (++*calls % 2) return;
    for_each_element(ConstView(arguments.out), [&](index b, index h, index r, index c) {
      arguments.out.set(b, h, r, c, -arguments.out.value(b, h, r, c));
    });
  };
  say_only(*changed(Emulation{}.kernel("right"), {.name = "moody", .forward = moody}), {});
}

/// A kernel that throws at what probes ask is told its failure, and nothing that was half read.
TEST(Emulations, AKernelThatRefusesProbesIsNotReadFrom) {
  for (const bool refuses : {false, true})
    for (const int answers : {1, 2, 5, 9, 20}) {
      auto calls = std::make_shared<int>(0);
      const auto shy = [=](const Kernel& wrong, const Problem& problem, const Arguments& arguments, Device& device) {
        if (++*calls > answers && refuses) throw KernelRefusal("enough");
        if (*calls > answers) throw std::runtime_error("enough");
        wrong.forward(problem, arguments, device);
      };
      const SharedKernel wrong = Emulation{.score = [](double s) { return 2 * s; }}.kernel("wrong");
      const KernelRun run = examine(
          changed(wrong, {.forward = shy}),
          {.problems = {parse_problem("shape=1x2x5x19x16")}, .properties = {Registry<Property>::find("value_bound")}});
      EXPECT_FALSE(run.conforms());
      EXPECT_TRUE(run.read_out.empty()) << answers << " " << run.read_out.front();
    }
}

}  // namespace
}  // namespace attestone
