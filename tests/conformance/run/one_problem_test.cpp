// SPDX-License-Identifier: Apache-2.0
// One ordinary problem fails no right kernel: runs of a single problem over a grid of shapes.
// slow: judges many problems
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

#include "conformance/rival_rules/correct_kernels.hpp"
#include "conformance/run/run.hpp"
#include "reference/registry.hpp"
#include "tests/conformance/styles/styled_kernel.hpp"
#include "tests/effort.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

/// Extents around one, around powers of two, and odd ones; grouped heads, narrow values, and the usual masks.
Problem shape_of_grid(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto one_of = [&](std::initializer_list<const char*> all) { return *(all.begin() + random() % all.size()); };
  const auto extent = [&] { return one_of({"1", "2", "3", "5", "7", "8", "9", "16", "17", "24", "33"}); };
  const std::string dim = one_of({"1", "2", "4", "8", "13", "16", "32"});
  const std::string text = fmt::format(
      "shape={}x{}x{}x{}x{} mask={} dtype={} pass={} seed={}", one_of({"1", "1", "2", "3"}),
      one_of({"1", "2", "3", "4/2", "6/2"}), extent(), extent(), random() % 4 ? dim : dim + ":" + extent(),
      one_of({"full", "full", "causal", "window:4:0", "causal:top_left"}), one_of({"f32", "f32", "bf16", "f16"}),
      one_of({"forward", "forward", "forward", "forward+backward"}), random() % 1000);
  return parse_problem(text);
}

/// A right kernel, and how many shapes it meets.
struct Grid {
  SharedKernel kernel;
  index shapes;

  friend void PrintTo(const Grid& grid, std::ostream* out) { *out << grid.kernel->name(); }
};

std::vector<Grid> grids() {
  std::vector<Grid> all;
  for (const SharedKernel& kernel : correct_kernels()) {
    const bool plain = kernel->name() == "dense" || kernel->name() == "chunked" || kernel->name() == "flash";
    all.push_back({kernel, plain ? effort(kernel->name() == "flash" ? 100 : 20, 2000) : effort(2, 100)});
  }
  for (const styles::Style& style : styles::all()) all.push_back({styles::kernel(style), effort(2, 100)});
  return all;
}

class OneProblem : public testing::TestWithParam<Grid> {};

TEST_P(OneProblem, FailsNoRightKernelSlow) {
  const SharedKernel& kernel = GetParam().kernel;
  index answered = 0;
  for (index number = 0; answered < GetParam().shapes; ++number) {
    ASSERT_LT(number, 1000 * GetParam().shapes) << "takes hardly any shape of the grid";
    const Problem problem = shape_of_grid(static_cast<std::uint64_t>(number));
    const KernelRun run = examine(kernel, {.problems = {problem}});
    answered += run.decided();
    EXPECT_TRUE(run.conforms() || !run.decided())
        << repro_line(run.option, *Registry<Property>::find("value_bound"), problem);
    for (const Failure& failure : run.failures) ADD_FAILURE() << failure.verdict.reason << failure.verdict.evidence;
  }
}

INSTANTIATE_TEST_SUITE_P(Grid, OneProblem, testing::ValuesIn(grids()), by_parameter);

}  // namespace
}  // namespace attestone
