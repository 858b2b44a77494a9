// SPDX-License-Identifier: Apache-2.0
// What a run holds for its reports: the memory of both passes.
#include "conformance/run/kernel_run.hpp"

#include <gtest/gtest.h>
#include <sstream>

#include "backends/catalogue.hpp"
#include "conformance/reports/report.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

TEST(KernelRun, TellsTheMemoryOfBothPasses) {
  const Problem problem = parse_problem("shape=1x2x9x12x8 pass=forward+backward");
  const AnyKernel flash = make_kernel("flash");
  const KernelRun run = examine(flash, {.problems = {problem}});
  const Case *forward = largest_memory(run, false), *backward = largest_memory(run, true);
  ASSERT_TRUE(forward && backward);
  EXPECT_EQ(forward->property->name, "value_bound");
  EXPECT_EQ(backward->property->name, "gradient_bound");
  const Memory& memory = *backward->verdict.memory;
  EXPECT_EQ(memory.documented_workspace, flash.backward_workspace_bytes(problem));
  EXPECT_GT(memory.peak_workspace, 0);
  EXPECT_LE(memory.peak_workspace, memory.documented_workspace);
  EXPECT_GT(memory.tensors, forward->verdict.memory->tensors);
  const Report report{"0", "none", problem.text(), {run}};
  for (const auto& [name, words] : {std::pair("text", "backward  peak workspace"),
                                    std::pair("markdown", "Memory of the backward pass: peak workspace"),
                                    std::pair("json", "\"pass\": \"backward\"")}) {
    std::ostringstream out;
    Registry<ReportFormat>::find(name)->write(report, Style{}, out);
    EXPECT_NE(out.str().find(words), std::string::npos) << out.str();
  }
}

}  // namespace
}  // namespace attestone
