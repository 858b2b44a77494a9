// SPDX-License-Identifier: Apache-2.0
// The json report keeps to its published schema: for right and wrong kernels, non-finite numbers and cut-off runs.
// slow: judges suites for the reports
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "tests/places.hpp"
#include "tests/python_oracle.hpp"
#include "tests/shell.hpp"

namespace attestone {
namespace {

TEST(ReportSchema, HoldsForEveryKindOfReport) {
  if (!has_python()) GTEST_SKIP() << "no .venv with the Python package jsonschema";
  const ScratchFolder folder;
  const char* runs[] = {
      "--kernel=flash,dense 'shape=2x4/2x9x17x8 mask=full,causal,~full dtype=f32,bf16>f32'",
      "--kernel=empty_row_nan,lost_tail,unwritten_rows 'shape=1x2x20x17x8 mask=causal lengths=3'",
      "--kernel=flash 'shape=1x1x4x4x4 dropout=0.5' --require=dropout",
      "--kernel=flash --suite=ci --budget=0.1s",
  };
  std::string files;
  for (const char* run : runs) {
    const std::filesystem::path file = folder / (std::to_string(files.size()) + ".json");
    std::ofstream(file) << shell(std::string("attestone run --format=json ") + run).text;
    files += " '" + file.string() + "'";
  }
  const ShellOutput checked =
      shell(fmt::format("'{0}' '{1}/tests/conformance/reports/report_schema.py' '{1}/docs/report.schema.json'{2} 2>&1",
                        venv_python().string(), source_folder(), files));
  EXPECT_EQ(checked.status, 0) << checked.text;
}

}  // namespace
}  // namespace attestone
