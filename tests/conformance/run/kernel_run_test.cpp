// SPDX-License-Identifier: Apache-2.0
// What a run holds for its reports: the memory of both passes.
#include "conformance/run/kernel_run.hpp"

#include <gtest/gtest.h>
#include <sstream>

#include "backends/catalogue.hpp"
#include "conformance/reports/report.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

TEST(KernelRun, TellsTheMemoryOfBothPasses) {
  const Problem problem = parse_problem("shape=1x2x9x12x8 pass=forward+backward");
  const SharedKernel flash = make_kernel("flash");
  const KernelRun run = examine(flash, {.problems = {problem}});
  const Case *forward = largest_memory(run, false), *backward = largest_memory(run, true);
  ASSERT_TRUE(forward && backward);
  EXPECT_EQ(forward->property->name, "value_bound");
  EXPECT_EQ(backward->property->name, "gradient_bound");
  const Memory& memory = *backward->verdict.memory;
  EXPECT_EQ(memory.documented, flash->backward_bytes(problem));
  EXPECT_GT(memory.peak.bytes, 0);
  EXPECT_LE(memory.peak.bytes, memory.documented);
  EXPECT_GT(memory.tensors, forward->verdict.memory->tensors);
  const Report report{"0", "none", problem.text(), {run}};
  for (const auto& [name, words] : {std::pair("text", "backward  peak workspace"),
                                    std::pair("markdown", "Memory of the backward pass: peak workspace"),
                                    std::pair("junit", "\"memory of the backward pass\" value=\"peak workspace"),
                                    std::pair("json", "\"pass\": \"backward\"")}) {
    std::ostringstream out;
    Registry<ReportFormat>::find(name)->write(report, Style{}, out);
    EXPECT_NE(out.str().find(words), std::string::npos) << out.str();
  }
}

TEST(KernelRun, TellsForWhatTheMemoryWasTaken) {
  const Problem problem = parse_problem("shape=1x2x9x12x8 pass=forward+backward");
  const KernelRun run = examine(make_kernel("dense"), {.problems = {problem}});
  for (const bool backward : {false, true}) {
    const Memory& memory = *largest_memory(run, backward)->verdict.memory;
    EXPECT_EQ(memory.peak.by_name.at("scores"), 9 * 12 * 4);
    EXPECT_EQ(memory.peak.by_name.count("dquery"), backward ? 1u : 0u);
    index all = 0;
    for (const auto& [name, bytes] : memory.peak.by_name) all += bytes;
    EXPECT_EQ(all, memory.peak.bytes) << "dense takes all of it at once";
  }
  std::ostringstream out;
  Registry<ReportFormat>::find("json")->write({"0", "none", problem.text(), {run}}, Style{}, out);
  EXPECT_NE(out.str().find("\"peak_bytes_by_name\""), std::string::npos);
  EXPECT_NE(out.str().find("\"scores\": 432"), std::string::npos) << out.str();
}

TEST(KernelRun, TellsForWhatTooMuchMemoryWasTaken) {
  const RunOptions options{.problems = {parse_problem("shape=1x1x8x4x4")},
                           .properties = {Registry<Property>::find("guards")}};
  const KernelRun run = examine(Registry<Mutant>::find("forgotten_buffer")->kernel(), options);
  EXPECT_EQ(run.failures.at(0).verdict.reason, "memory");
  const Verdict first =
      examine_case(*Registry<Mutant>::find("forgotten_buffer")->kernel(), *options.properties[0], options.problems[0]);
  EXPECT_EQ(first.evidence,
            "took 736 bytes of workspace, documents 608: keys 256 of 736, values 256, copy of the queries 128, row of "
            "scores 64, row of out 16, and 1 more");
}

}  // namespace
}  // namespace attestone
