// SPDX-License-Identifier: Apache-2.0
// Kernels that do harm (tests/hostile/): each gets the verdict that its file expects, attestone survives them all, and
// nothing stays behind.
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "tests/conformance/hostile/hostile_case.hpp"
#include "tests/places.hpp"
#include "tests/shell.hpp"

namespace attestone {
namespace {

/// A copy of the library lies where it is let loose: some of them remove themselves.
std::string door_of(const HostileCase& hostile, const HostileGround& ground) {
  const std::string name = hostile.name + ".so";
  std::filesystem::copy_file(std::filesystem::path(program_folder()) / "hostile" / name, ground.folder / name);
  return "--plugin=./" + name;
}

class Hostile : public testing::TestWithParam<HostileCase> {};

TEST_P(Hostile, GetsItsVerdictAndLeavesNothing) {
  const HostileGround ground;
  expect_verdict(GetParam(), ground, door_of(GetParam(), ground));
}

INSTANTIATE_TEST_SUITE_P(Each, Hostile, testing::ValuesIn(hostile_cases("tests/hostile", "//")),
                         [](const auto& hostile) { return hostile.param.name; });

// Not even an attestone that is killed in the middle of a call leaves anything.
class OutlivingHostile : public testing::TestWithParam<const char*> {};

TEST_P(OutlivingHostile, EndsWithAttestone) {
  const Descendants descendants;
  // clang's OpenMP runtime registers in shared memory, and cannot take that back when it is killed.
  shell(
      fmt::format("attestone run --plugin='{}/hostile/{}.so' --property=value_bound 'shape=1x1x4x4x4' "
                  ">/dev/null 2>&1 & pid=$!; sleep 1; kill -KILL $pid; wait $pid; "
                  "rm -f /dev/shm/__KMP_REGISTERED_LIB_${{pid}}_*",
                  program_folder(), GetParam()));
  EXPECT_EQ(Descendants::left(std::chrono::seconds(5)), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Each, OutlivingHostile,
                         testing::Values("hangs", "ignores_signals_and_hangs", "kills_its_keeper_and_lives_on",
                                         "stops_its_keeper", "ptraces_its_keeper", "hangs_beside_a_daemon"),
                         [](const auto& name) { return std::string(name.param); });

TEST(HostileKernels, AreManyAndSayWhatTheyAreAsked) {
  const auto all = hostile_cases("tests/hostile", "//");
  EXPECT_GE(all.size(), 180u);
  for (const HostileCase& hostile : all)
    EXPECT_NE(hostile.arguments.find("--property="), std::string::npos) << hostile.name;
}

}  // namespace
}  // namespace attestone
