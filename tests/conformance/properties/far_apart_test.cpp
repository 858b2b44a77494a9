// SPDX-License-Identifier: Apache-2.0
// Rows that lie gigabytes apart: right kernels find them, and offsets of 32 bits do not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "backends/plugins/shared_library/plugin_kernel.hpp"
#include "conformance/properties/property.hpp"
#include "conformance/run/run.hpp"
#include "conformance/trial/problem_memory.hpp"
#include "reference/registry.hpp"
#include "tests/places.hpp"

namespace attestone {
namespace {

KernelRun judged(const SharedKernel& kernel, const std::string& text) {
  return examine(kernel, {.problems = {parse_problem(text)}, .explain = false});
}

void expect_conforms(const SharedKernel& kernel, const std::string& text) {
  const KernelRun run = judged(kernel, text);
  for (const Failure& failure : run.failures)
    ADD_FAILURE() << kernel->name() << " " << text << "\n"
                  << failure.verdict.reason << ": " << failure.verdict.evidence;
  EXPECT_TRUE(run.own_failures.empty()) << kernel->name() << " " << text << "\n" << run.own_failures.front();
  EXPECT_GT(run.counts.at(Outcome::passed), 5) << kernel->name() << " " << text;
}

SharedKernel plugin(const std::string& name) {
  return plugin_kernel(fmt::format("{}/plugins/{}.so", program_folder(), name));
}

TEST(FarApart, IsNoFaultOfARightKernel) {
  const std::string problem = "shape=2x2x9x17x8 mask=causal pass=forward+backward layout=";
  for (const char* name : {"flash", "dense", "split"})
    for (const char* layout : {"sparse", "bhsd+key/sparse+dvalue/sparse", "bshd+out/sparse+dkey/bhsd"})
      expect_conforms(make_kernel(name), problem + layout);
  expect_conforms(plugin("differentiates"), problem + "sparse");
  expect_conforms(plugin("differentiates"), problem + "bhsd+dkey/sparse");
}

TEST(FarApart, ConvictsOffsetsIn32Bits) {
  const SharedKernel kernel = plugin("offsets_in_32_bits");
  const auto verdict = [&](const std::string& problem) {
    return examine_case(*kernel, *Registry<Property>::find("value_bound"), parse_problem(problem));
  };
  EXPECT_EQ(verdict("shape=2x2x9x17x8").outcome, Outcome::passed);
  EXPECT_EQ(verdict("shape=2x2x9x17x8 layout=bhsd+value/sparse").outcome, Outcome::passed);
  for (const char* shape : {"2x1x3x1x8", "1x2x3x1x8", "1x1x3x2x8", "2x2x9x17x8"})
    EXPECT_EQ(verdict("shape=" + std::string(shape) + " layout=bhsd+key/sparse").outcome, Outcome::failed) << shape;
}

TEST(FarApart, TakesNoMoreThanItsRows) {
  const Problem problem = parse_problem("shape=2x2x9x17x8 layout=sparse pass=forward+backward");
  const Inputs inputs(problem);
  EXPECT_GT(inputs.key.bytes().size(), std::size_t{1} << 34);
  EXPECT_LT(inputs.key.held_bytes(), std::size_t{1} << 20);
  EXPECT_LT(least_memory(problem, *make_kernel("flash")), 1e8);
  EXPECT_EQ(denied_addresses(problem), "");
}

TEST(FarApart, IsRefusedWhereThereAreNotSoManyAddresses) {
  Problem problem = parse_problem("shape=2x2x9x17x8 layout=sparse");
  problem.spare_rows = index{1} << 34;
  EXPECT_NE(denied_addresses(problem), "");
  const KernelRun run = examine(make_kernel("flash"), {.problems = {problem}, .explain = false});
  EXPECT_TRUE(run.failures.empty());
  EXPECT_FALSE(run.refusals.empty());
}

}  // namespace
}  // namespace attestone
