// SPDX-License-Identifier: Apache-2.0
// What further calls show, of kernels that no mutant stands for.
#include <algorithm>
#include <gtest/gtest.h>

#include "backends/changed_kernel.hpp"
#include "conformance/run/run.hpp"
#include "mutants/hosts/tiled.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

/// Has no log_sum_exp, and flips a last bit of O in every second call.
SharedKernel unsteady_without_log_sum_exp() {
  const auto calls = std::make_shared<int>(0);
  KernelChanges changes;
  changes.conventions = declared_conventions("outputs=out", "the test");
  changes.forward = [calls](const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
    Outputs own(problem);
    Arguments inside = arguments;
    inside.log_sum_exp = own.log_sum_exp.view();
    honest.forward(problem, inside, device);
    if ((*calls)++ % 2 == 1) arguments.out.set_code(0, 0, 0, 0, arguments.out.code(0, 0, 0, 0) ^ 1);
  };
  return std::make_shared<ChangedKernel>(tiled_twin(), std::move(changes));
}

TEST(Circumstances, NameNothingUnwrittenThatNobodyHasToWrite) {
  const KernelRun run =
      examine(unsteady_without_log_sum_exp(), {.problems = {parse_problem("shape=2x4/2x21x37x8")},
                                               .properties = {Registry<Property>::find("repeats_bitwise")}});
  ASSERT_EQ(run.failures.size(), 1);
  EXPECT_EQ(run.failures[0].verdict.reason, "not-repeatable");
  EXPECT_TRUE(std::ranges::none_of(run.failures[0].circumstances.kinds,
                                   [](const NamedKind& kind) { return kind.name == "uninitialised_memory"; }));
}

}  // namespace
}  // namespace attestone
