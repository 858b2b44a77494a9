// SPDX-License-Identifier: Apache-2.0
// What is certified, checked by ball arithmetic: an oracle in Python that knows docs/rules.md and none of our code
// (tests/oracle/); also where the caller has changed how the machine rounds.
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/one_in.hpp"
#include "tests/places.hpp"
#include "tests/python_oracle.hpp"
#include "tests/shell.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

const std::uint64_t drawn_by = seed(20261122);

class BallOracle : public testing::TestWithParam<std::string> {};

TEST_P(BallOracle, FindsNothingFalse) {
  if (!has_python()) GTEST_SKIP() << "no .venv with the Python package python-flint";
  const std::string& environment = GetParam();
  // Some 600 elements a problem.
  const index problems = environment == "nearest" ? effort(24, 1600) : effort(6, 200);
  const ScratchFolder folder;
  const ShellOutput exported = shell(fmt::format("'{}/tests/export_cases' '{}' {} {} {} 2>&1", program_folder(),
                                                 folder.string(), problems, drawn_by, environment));
  ASSERT_EQ(exported.status, 0) << exported.text;
  const ShellOutput checked = shell(fmt::format("'{}' '{}/tests/oracle/check.py' '{}' 2>&1", venv_python().string(),
                                                source_folder(), folder.string()));
  EXPECT_EQ(checked.status, 0) << checked.text;
  fmt::print("seed {}, {}: {}", drawn_by, environment, checked.text.substr(checked.text.rfind("oracle: ")));
}

std::vector<std::string> environments() {
  std::vector<std::string> all{"nearest", "upward", "downward", "toward_zero"};
#if defined(__x86_64__)
  all.emplace_back("flush");
#endif
  return all;
}

INSTANTIATE_TEST_SUITE_P(WhereTheCallerRounds, BallOracle, testing::ValuesIn(environments()), by_parameter);

// An oracle that finds nothing may be one that cannot: claims that are false must be found.
// slow: judges many problems
TEST(TheBallOracle, FindsWhatIsFalse) {
  if (!has_python()) GTEST_SKIP() << "no .venv with the Python package python-flint";
  const ShellOutput checked =
      shell(fmt::format("'{}' '{}/tests/oracle/self_test.py' 2>&1", venv_python().string(), source_folder()));
  EXPECT_EQ(checked.status, 0) << checked.text;
}

}  // namespace
}  // namespace attestone
