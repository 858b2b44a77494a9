// SPDX-License-Identifier: Apache-2.0
// The json of a bench keeps to its published schema: whole, partial, with peers, failures and limits alone.
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "conformance/bench/formats/bench_format.hpp"
#include "reference/registry.hpp"
#include "tests/conformance/bench/bench_example.hpp"
#include "tests/places.hpp"
#include "tests/python_oracle.hpp"
#include "tests/shell.hpp"

namespace attestone {
namespace {

ShellOutput checked(const std::filesystem::path& file) {
  return shell(
      fmt::format("'{0}' '{1}/tests/conformance/reports/report_schema.py' '{1}/docs/bench.schema.json' '{2}' 2>&1",
                  venv_python().string(), source_folder(), file.string()));
}

// slow: times kernels
TEST(BenchSchema, HoldsForEveryKindOfResult) {
  if (!has_python()) GTEST_SKIP() << "no .venv with the Python package jsonschema";
  const ScratchFolder folder;
  const auto* json = Registry<BenchFormat>::find("json");
  BenchResult cut_short = bench_example();
  cut_short.cut_short = CutShort::budget, cut_short.own_failure = "something";
  BenchResult bare;
  bare.rounds = 1;
  for (const BenchResult& result : {bench_example(), cut_short, bare}) {
    std::ofstream(folder / "bench.json") << [&] {
      std::ostringstream out;
      json->write(result, out);
      return out.str();
    }();
    const ShellOutput output = checked(folder / "bench.json");
    EXPECT_EQ(output.status, 0) << output.text;
  }
  const std::string real = (folder / "real.json").string();
  EXPECT_EQ(shell(fmt::format("attestone bench --threads=1 --rounds=1 --steady=200 --kernel=flash,dense --format=json "
                              "'shape=1x2x16x16x8,1x2x32x32x8' 'shape=1x1x16x16x8 pass=forward+backward' "
                              "'shape=1x1x4x4x4 dtype=f64' >'{}'",
                              real))
                .status,
            0);
  const ShellOutput output = checked(real);
  EXPECT_EQ(output.status, 0) << output.text;
  // What the schema does not know is seen.
  const ShellOutput spoiled = shell(fmt::format("sed -i 's/\"cells_asked\"/\"cells_wanted\"/' '{}'", real));
  EXPECT_EQ(spoiled.status, 0);
  EXPECT_NE(checked(real).status, 0);
}

}  // namespace
}  // namespace attestone
