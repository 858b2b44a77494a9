// SPDX-License-Identifier: Apache-2.0
// Every report names the conventions that are not those of the rules, whatever came of the run; and a gate can forbid
// them.
#include <gtest/gtest.h>
#include <sstream>

#include "backends/catalogue.hpp"
#include "conformance/reports/wording.hpp"
#include "reference/registry.hpp"
#include "tests/conformance/conventions/conventional_kernels.hpp"

namespace attestone {
namespace {

const RunOptions options{.problems = parse_problems("shape=1x1x5x8x8"), .explain = false};

KernelRun run_of(const char* conventions) { return examine(declaring(make_kernel("dense"), conventions), options); }

TEST(ConventionsInReports, AreNamedInTheHeadline) {
  EXPECT_EQ(headline(run_of("")), "conforms");
  EXPECT_EQ(headline(run_of("empty_rows=zero lse=ln")), "conforms");
  EXPECT_EQ(headline(run_of("empty_rows=nan outputs=out")),
            "conforms by its own conventions: outputs=out, empty_rows=nan");
  EXPECT_EQ(headline(run_of("lse=log2")), "does not conform by its own conventions: lse=log2");
}

TEST(ConventionsInReports, StandInEveryFormat) {
  const KernelRun run = run_of("empty_rows=nan outputs=out");
  ASSERT_EQ(run.conventions.size(), 2u);
  for (const auto& [name, format] : Registry<ReportFormat>::all()) {
    std::ostringstream out;
    format.write({.version = "1", .instruction_set = "any", .suite = "typed", .runs = {run}}, {}, out);
    std::string text = out.str();
    std::erase(text, '\\');  // Markdown
    for (const char* said : {"there is no log_sum_exp", "NaN, and -inf or NaN"})
      EXPECT_NE(text.find(said), std::string::npos) << name << "\n" << text;
    const bool whole = text.find("empty_rows=nan") != std::string::npos;
    EXPECT_TRUE(whole || name == "json") << name << "\n" << text;
  }
}

TEST(ConventionsInReports, AreFailuresWhereThoseOfTheRulesAreRequired) {
  RunOptions strict = options;
  strict.required = {std::string(default_conventions)};
  EXPECT_TRUE(examine(make_kernel("dense"), strict).conforms());
  const KernelRun run = examine(declaring(make_kernel("dense"), "outputs=out"), strict);
  ASSERT_EQ(run.failures.size(), 1u);
  EXPECT_EQ(run.failures[0].verdict.reason, "required");
  EXPECT_EQ(
      run.failures[0].verdict.evidence,
      "declares conventions of its own: outputs=out: there is no log_sum_exp: it is not read, and nothing of it is "
      "judged (the rules: out+log_sum_exp)");
}

}  // namespace
}  // namespace attestone
