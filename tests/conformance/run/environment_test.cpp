// SPDX-License-Identifier: Apache-2.0
// A kernel that leaves rounding modes and flush-to-zero behind, in its thread and in those of the pool, spoils nothing.
#include <cfenv>
#include <gtest/gtest.h>
#include <omp.h>

#include "backends/changed_kernel.hpp"
#include "conformance/run/kernels.hpp"
#include "conformance/run/run.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

void spoil_this_thread() {
  std::fesetround(FE_UPWARD);
#if defined(__x86_64__)
  constexpr unsigned flush = 1u << 15 | 1u << 6;
  unsigned control = 0;
  asm volatile("stmxcsr %0" : "=m"(control));
  control |= flush;
  asm volatile("ldmxcsr %0" : : "m"(control));
#endif
}

SharedKernel leaving_its_environment() {
  const auto spoil = [] {
#pragma omp parallel
    spoil_this_thread();
  };
  const auto forward = [spoil](const Kernel& honest, const Problem& problem, const Arguments& arguments,
                               Device& device) {
    honest.forward(problem, arguments, device);
    spoil();
  };
  const auto backward = [spoil](const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                                Device& device) {
    honest.backward(problem, arguments, device);
    spoil();
  };
  return changed(find_kernel("flash"), {.forward = forward, .backward = backward});
}

TEST(Environment, OfAKernelDoesNotReachTheJudge) {
  RunOptions options;
  for (const char* text : {"shape=1x2x70x130x40 fill=subnormal pass=forward+backward",
                           "shape=1x2x24x33x16 score=bias:full fill=finite_masks dtype=bf16 pass=forward+backward",
                           "shape=1x1x5x9x8 fill=small_gradients dtype=f16 pass=forward+backward"})
    options.problems.push_back(parse_problem(text));
  for (const char* name : {"value_bound", "gradient_bound", "unbiased_output", "repeats_bitwise"})
    options.properties.push_back(Registry<Property>::find(name));
  const KernelRun honest = examine(find_kernel("flash"), options),
                  spoiled = examine(leaving_its_environment(), options);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_TRUE(spoiled.conforms());
  ASSERT_EQ(honest.cases.size(), spoiled.cases.size());
  for (std::size_t i = 0; i < honest.cases.size(); ++i) {
    const Verdict &a = honest.cases[i].verdict, &b = spoiled.cases[i].verdict;
    EXPECT_EQ(a.outcome, b.outcome) << honest.cases[i].property->name << " " << honest.cases[i].problem.text();
    EXPECT_EQ(a.evidence, b.evidence) << honest.cases[i].property->name << " " << honest.cases[i].problem.text();
  }
#pragma omp parallel
  std::fesetenv(FE_DFL_ENV);
}

}  // namespace
}  // namespace attestone
