// SPDX-License-Identifier: Apache-2.0
// An error is told from what it leaves behind: kernels that err for good are charged with the calls that went wrong
// alone.
#include "backends/plugins/protocol/errors_in_a_row.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <omp.h>

#include "backends/kernel_fault.hpp"
#include "backends/plugins/program/program_kernel.hpp"
#include "backends/plugins/shared_library/plugin_kernel.hpp"
#include "conformance/problems/fill.hpp"
#include "conformance/trial/threads.hpp"
#include "tests/places.hpp"

namespace attestone {
namespace {

TEST(ErrorsInARow, TheFirstStandsAndEachProblemIsAskedAgainOnce) {
  ErrorsInARow errors;
  EXPECT_FALSE(errors.may_be_inherited("a"));
  EXPECT_TRUE(errors.may_be_inherited("a"));
  EXPECT_FALSE(errors.may_be_inherited("a"));
  EXPECT_TRUE(errors.may_be_inherited("b"));
  errors.answered();
  EXPECT_FALSE(errors.may_be_inherited("b"));
  EXPECT_TRUE(errors.may_be_inherited("b"));
}

TEST(ErrorsInARow, WhereAllErrNewProcessesAreFew) {
  ErrorsInARow errors;
  int asked_again = 0;
  for (int problem = 0; problem <= 1024; ++problem) asked_again += errors.may_be_inherited(std::to_string(problem));
  EXPECT_EQ(asked_again, 8 + 7);  // the first eight, the 16th, the 32nd, ... and the 1,024th
}

bool errs(const Kernel& kernel, int keys) {
  const Problem problem = parse_problem(fmt::format("shape=1x1x2x{}x4", keys));
  const Inputs inputs = filled(problem);
  Outputs outputs(problem);
  Device device;
  try {
    kernel.forward(problem, arguments_of(problem, inputs, outputs), device);
    return false;
  } catch (const KernelFault& fault) {
    EXPECT_EQ(fault.reason(), "error-status") << fault.what();
    return true;
  }
}

std::string broken_library() { return program_folder() + "/plugins/errs_for_good.so"; }

TEST(ErrorsInARow, DoNotOutliveTheirProblem) {
  const std::string program =
      fmt::format("python3 {}/tests/hostile_programs/refusals.py errs_for_good", source_folder());
  for (const SharedKernel& kernel : {plugin_kernel(broken_library()), program_kernel(program)}) {
    EXPECT_FALSE(errs(*kernel, 5)) << kernel->name();
    for (const int times : {1, 2, 3}) {
      for (int n = 0; n < times; ++n) EXPECT_TRUE(errs(*kernel, 13)) << kernel->name();
      for (const int keys : {5, 3}) EXPECT_FALSE(errs(*kernel, keys)) << kernel->name() << " " << times;
    }
  }
}

// A call with another number of threads than usual meets another process, whose answers say nothing of the first.
TEST(ErrorsInARow, AreOfOneProcess) {
  const SharedKernel kernel = plugin_kernel(broken_library());
  const auto with_other_threads = [&] {
    const ForcedThreads others(omp_get_max_threads() + 1);
    return errs(*kernel, 5);
  };
  EXPECT_FALSE(with_other_threads());
  EXPECT_TRUE(errs(*kernel, 13));
  EXPECT_FALSE(with_other_threads());
  EXPECT_FALSE(errs(*kernel, 5));
}

}  // namespace
}  // namespace attestone
