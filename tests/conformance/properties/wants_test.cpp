// SPDX-License-Identifier: Apache-2.0
// Answers alone: right kernels give them, wrong ones are convicted, and a door hands out nothing for the others.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "backends/plugins/shared_library/plugin_kernel.hpp"
#include "conformance/properties/property.hpp"
#include "conformance/run/run.hpp"
#include "reference/registry.hpp"
#include "tests/places.hpp"

namespace attestone {
namespace {

const std::string both = "shape=2x4/2x17x33x16 mask=causal score=bias:head&sink:head pass=forward+backward wants=";

/// Every subset of the gradients, and the two answers of a forward pass alone.
std::vector<std::string> subsets() {
  const std::vector<std::string> gradients{"dquery", "dkey", "dvalue", "dbias", "dsink"};
  std::vector<std::string> all;
  for (unsigned some = 1; some < 1u << gradients.size(); ++some) {
    std::string names;
    for (std::size_t i = 0; i < gradients.size(); ++i)
      if (some >> i & 1) names += (names.empty() ? "" : "+") + gradients[i];
    all.push_back(both + names);
  }
  for (const char* answer : {"out", "log_sum_exp"})
    all.push_back("shape=2x4/2x17x33x16 lengths=33+0 mask=causal score=softcap:5 wants=" + std::string(answer));
  return all;
}

KernelRun judged(const SharedKernel& kernel, const std::string& text) {
  return examine(kernel, {.problems = {parse_problem(text)}, .explain = false});
}

// slow: judges many problems
TEST(Wants, EverySubsetIsNoFaultOfARightKernelSlow) {
  const std::vector<std::string> texts = subsets();
  for (const char* name : {"flash", "flash:fused_backward=0", "dense", "chunked", "split", "decode"})
    for (std::size_t n = 0; n < texts.size(); ++n) {
      if (n % 5 != std::string_view(name).size() % 5 && std::string_view(name) != "flash") continue;
      const KernelRun run = judged(make_kernel(name), texts[n]);
      for (const Failure& failure : run.failures)
        ADD_FAILURE() << name << " " << texts[n] << "\n" << failure.verdict.reason << ": " << failure.verdict.evidence;
      EXPECT_TRUE(run.own_failures.empty()) << name << " " << texts[n] << "\n" << run.own_failures.front();
      EXPECT_GT(run.counts.at(Outcome::passed), 3) << name << " " << texts[n];
    }
}

Verdict verdict(const SharedKernel& kernel, const char* property, const std::string& problem) {
  return examine_case(*kernel, *Registry<Property>::find(property), parse_problem(problem));
}

/// Flash, which leaves log_sum_exp as it is unless O is asked for as well.
void log_sum_exp_beside_out(const Kernel& flash, const Problem& problem, const Arguments& arguments, Device& device) {
  if (arguments.out.exists()) flash.forward(problem, arguments, device);
}

TEST(Wants, ConvictsAForwardPassThatForgets) {
  const SharedKernel kernel = changed(make_kernel("flash"), {.forward = log_sum_exp_beside_out});
  const std::string problem = "shape=1x2x9x17x8";
  EXPECT_EQ(verdict(kernel, "value_bound", problem).outcome, Outcome::passed);
  EXPECT_EQ(verdict(kernel, "value_bound", problem + " wants=out").outcome, Outcome::passed);
  EXPECT_EQ(verdict(kernel, "value_bound", problem + " wants=log_sum_exp").reason, "wrong-non-finite");
  EXPECT_EQ(verdict(kernel, "wanted_alone", problem + " wants=log_sum_exp").reason, "depends-on-wants");
  EXPECT_EQ(verdict(kernel, "wanted_alone", problem).outcome, Outcome::skipped);
}

TEST(Wants, WhatNobodyAsksForHasNoProperty) {
  const Verdict gain = verdict(make_kernel("flash"), "gain", "shape=1x2x9x17x8 wants=log_sum_exp");
  EXPECT_EQ(gain.outcome, Outcome::skipped);
  EXPECT_EQ(gain.evidence, "nobody asks for out");
}

SharedKernel plugin(const std::string& name) {
  return plugin_kernel(fmt::format("{}/plugins/{}.so", program_folder(), name));
}

TEST(Wants, AreNullBehindTheDoor) {
  const std::string problem = "shape=2x4/2x5x9x8 mask=causal pass=forward+backward";
  for (const char* wants : {"dquery", "dkey", "dvalue", "dkey+dvalue", "dquery+dvalue", "out+dquery+dkey"}) {
    const KernelRun run = judged(plugin("differentiates"), problem + " wants=" + wants);
    for (const Failure& failure : run.failures)
      ADD_FAILURE() << wants << "\n" << failure.verdict.reason << ": " << failure.verdict.evidence;
    EXPECT_GT(run.counts.at(Outcome::passed), 5) << wants;
  }
  for (const char* wants : {"out", "log_sum_exp"})
    EXPECT_TRUE(judged(plugin("differentiates"), "shape=2x4/2x5x9x8 wants=" + std::string(wants)).failures.empty());
}

TEST(Wants, ConvictLibrariesThatForgetOrTouch) {
  const std::string problem = "shape=1x2x5x9x8 pass=forward+backward";
  const SharedKernel forgets = plugin("key_gradient_beside_query_gradient");
  EXPECT_EQ(verdict(forgets, "gradient_bound", problem).outcome, Outcome::passed);
  EXPECT_EQ(verdict(forgets, "gradient_bound", problem + " wants=dquery+dkey").outcome, Outcome::passed);
  EXPECT_EQ(verdict(forgets, "gradient_bound", problem + " wants=dkey+dvalue").reason, "wrong-gradient");
  EXPECT_EQ(verdict(forgets, "wanted_alone", problem + " wants=dkey+dvalue").reason, "depends-on-wants");
  const SharedKernel touches = plugin("writes_what_nobody_asks_for");
  EXPECT_EQ(verdict(touches, "gradient_bound", problem + " wants=dkey").reason, "crashed");
  const SharedKernel declines = plugin("takes_all_answers_only");
  EXPECT_EQ(verdict(declines, "value_bound", "shape=1x2x5x9x8 wants=out").evidence,
            "does not take problems that ask for some answers alone");
  EXPECT_EQ(verdict(declines, "value_bound", "shape=1x2x5x9x8").outcome, Outcome::passed);
}

}  // namespace
}  // namespace attestone
