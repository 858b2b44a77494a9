// SPDX-License-Identifier: Apache-2.0
// Programs that ranks of a mesh run (tests/hostile_ranks/): each method gets the verdict that it must get, and the line
// that repeats a failure repeats it.
// slow: starts processes that hang
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

#include "tests/conformance/hostile/hostile_case.hpp"
#include "tests/conformance/reports/json_of.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

std::string door_of(const HostileCase& hostile) { return fmt::format("--rank-program='{}'", command_of(hostile)); }

class HostileRanks : public testing::TestWithParam<HostileCase> {};

TEST_P(HostileRanks, GetTheirVerdictAndLeaveNothing) {
  const HostileGround ground;
  expect_verdict(GetParam(), ground, door_of(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Each, HostileRanks, testing::ValuesIn(hostile_cases("tests/hostile_ranks", "#")),
                         by_parameter);

TEST(HostileRanksRepro, FailsAgain) {
  const std::string command = "attestone run ";
  for (const HostileCase& hostile : hostile_cases("tests/hostile_ranks", "#")) {
    if (hostile.name != "swapped_permutation" && hostile.name != "receives_before_it_sends") continue;
    const HostileGround ground;
    std::ofstream(ground.folder / "visible.txt") << "nothing";
    const auto first = json_of(ground.run(door_of(hostile), hostile.arguments).report);
    const std::string repro = first.at("runs").at(0).at("failures").at(0).at("repro").get<std::string>();
    ASSERT_TRUE(repro.starts_with(command)) << repro;
    EXPECT_NE(repro.find("--rank-program="), std::string::npos) << repro;
    const HostileOutput again = ground.run("", repro.substr(command.size()));
    EXPECT_EQ(again.verdict(), hostile.reasons.front()) << repro << '\n' << again.report;
  }
}

}  // namespace
}  // namespace attestone
