// SPDX-License-Identifier: Apache-2.0
// Programs that do harm (tests/hostile_programs/): each gets the verdict that its file expects, attestone survives them
// all, and nothing stays behind.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "tests/conformance/hostile/hostile_case.hpp"

namespace attestone {
namespace {

std::string door_of(const HostileCase& hostile) {
  const bool script = hostile.file.extension() == ".sh";
  return fmt::format("--program='{} {}'", script ? "sh" : "python3 -S", hostile.file.string());
}

class HostileProgram : public testing::TestWithParam<HostileCase> {};

TEST_P(HostileProgram, GetsItsVerdictAndLeavesNothing) {
  const HostileGround ground;
  expect_verdict(GetParam(), ground, door_of(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Each, HostileProgram, testing::ValuesIn(hostile_cases("tests/hostile_programs", "#")),
                         [](const auto& hostile) { return hostile.param.name; });

TEST(HostilePrograms, AreManyAndSayWhatTheyAreAsked) {
  const auto all = hostile_cases("tests/hostile_programs", "#");
  EXPECT_GE(all.size(), 120u);
  for (const HostileCase& hostile : all)
    EXPECT_NE(hostile.arguments.find("--property="), std::string::npos) << hostile.name;
}

}  // namespace
}  // namespace attestone
