// SPDX-License-Identifier: Apache-2.0
// What once went wrong stays right.
#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "conformance/run.hpp"
#include "conformance/suite.hpp"

namespace attestone {
namespace {

TEST(Regressions, StayAway) {
  for (const char* kernel : {"dense", "flash"}) {
    const KernelRun run = judge(make_kernel(kernel), {.problems = load_suite("regressions")});
    for (const Failure& failure : run.failures)
      ADD_FAILURE() << kernel << ": " << failure.verdict.evidence << "\n" << failure.first.text();
  }
}

}  // namespace
}  // namespace attestone
