// SPDX-License-Identifier: Apache-2.0
// The JUnit report keeps to the schema that readers of JUnit agree on, and says what the json report says.
// slow: judges suites for the reports
#include <filesystem>
#include <gtest/gtest.h>

#include "tests/places.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/shell.hpp"

namespace attestone {
namespace {

TEST(ReportJunit, KeepsToItsSchemaAndSaysWhatJsonSays) {
  ASSERT_EQ(shell("python3 --version >/dev/null 2>&1").status, 0) << "python3 is missing, which ./run test installs";
  const std::pair<const char*, int> runs_and_statuses[] = {
      {"--kernel=flash,dense 'shape=2x4/2x9x17x8 mask=full,~full dtype=f32,bf16>f32'", 0},
      {"--kernel=empty_row_nan,lost_tail --property=value_bound,empty_rows 'shape=1x2x20x17x8 mask=causal&full,~full'",
       1},
      {"--kernel=flash 'shape=1x1x4x4x4 dropout=0.5 pass=forward+backward dtype=e4m3' --require=dropout", 1},
      {"--kernel=flash --suite=ci --budget=5s", 6},
  };
  for (const auto& [run, status] : runs_and_statuses) {
    const ScratchFolder folder;
    const std::string line = fmt::format("attestone run --report='{}' {} 2>&1", folder.string(), run);
    ASSERT_EQ(shell(line).status, status) << line;
    const ShellOutput checked =
        shell(fmt::format("python3 '{0}/tests/conformance/reports/report_junit.py' "
                          "'{1}/report.xml' '{1}/report.json' 2>&1",
                          source_folder(), folder.string()));
    EXPECT_EQ(checked.status, 0) << line << '\n' << checked.text;
  }
}

}  // namespace
}  // namespace attestone
