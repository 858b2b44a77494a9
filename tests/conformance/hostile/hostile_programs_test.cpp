// SPDX-License-Identifier: Apache-2.0
// Programs that do harm (tests/hostile_programs/): each gets the verdict that it must get, attestone survives them all,
// and nothing stays behind.
// slow: starts processes that hang
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "tests/conformance/hostile/hostile_case.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

class HostileProgram : public testing::TestWithParam<HostileCase> {};

TEST_P(HostileProgram, GetsItsVerdictAndLeavesNothing) {
  const HostileGround ground;
  expect_verdict(GetParam(), ground, fmt::format("--program='{}'", command_of(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Each, HostileProgram, testing::ValuesIn(hostile_cases("tests/hostile_programs", "#")),
                         by_parameter);

TEST(HostilePrograms, AreManyAndSayWhatTheyAreAsked) {
  const auto all = hostile_cases("tests/hostile_programs", "#");
  EXPECT_GE(all.size(), 120u);
  for (const HostileCase& hostile : all)
    EXPECT_NE(hostile.arguments.find("--property="), std::string::npos) << hostile.name;
}

}  // namespace
}  // namespace attestone
