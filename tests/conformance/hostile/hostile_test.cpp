// SPDX-License-Identifier: Apache-2.0
// Kernels that do harm (tests/hostile/): each gets the verdict that it must get, attestone survives them all, and
// nothing stays behind.
// slow: starts processes that hang
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/conformance/hostile/hostile_case.hpp"
#include "tests/places.hpp"
#include "tests/shell.hpp"
#include "tests/test_name.hpp"

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

INSTANTIATE_TEST_SUITE_P(Each, Hostile, testing::ValuesIn(hostile_cases("tests/hostile", "//")), by_parameter);

// Not even an attestone that is killed in the middle of a call leaves anything.
class OutlivingHostile : public testing::TestWithParam<std::string> {};

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
                         by_parameter);

TEST(HostileKernels, AreManyAndSayWhatTheyAreAsked) {
  const auto all = hostile_cases("tests/hostile", "//");
  EXPECT_GE(all.size(), 180u);
  for (const HostileCase& hostile : all)
    EXPECT_NE(hostile.arguments.find("--property="), std::string::npos) << hostile.name;
}

/// Every symbol that the kernels' libraries define, as nm prints them: "NAME.so:0000000000001130 T attestone_forward".
std::vector<std::smatch> symbols(const std::string& options, std::string& text) {
  text = shell(fmt::format("cd {}/hostile && nm -A --defined-only {} *.so", program_folder(), options)).text;
  static const std::regex line(R"((\w+)\.so:[0-9a-f]+ (\w) (\S+))");
  return {std::sregex_iterator(text.begin(), text.end(), line), std::sregex_iterator()};
}

// They are compiled a dozen an object: a library that another kernel's code has come into would not be an outsider's.
TEST(HostileKernels, ShareNothingWithTheirNeighbours) {
  std::set<std::string> kernels;
  for (const HostileCase& hostile : hostile_cases("tests/hostile", "//")) kernels.insert(hostile.name);
  std::set<std::string> have_code;
  const std::regex nested(R"(ZN(\d+))");  // as compilers spell a name in a namespace: its length comes first
  std::string text;
  for (const std::smatch& symbol : symbols("", text)) {
    const std::string library = symbol.str(1), name = symbol.str(3);
    EXPECT_EQ(name.find("_GLOBAL__sub_I"), std::string::npos) << library << " initialises what all of its file hold";
    for (std::sregex_iterator length(name.begin(), name.end(), nested), end; length != end; ++length) {
      const std::string space = length->suffix().str().substr(0, std::stoul(length->str(1)));
      if (kernels.count(space) == 0) continue;
      EXPECT_EQ(space, library) << name;
      have_code.insert(library);
    }
  }
  EXPECT_EQ(have_code, kernels);
}

TEST(HostileKernels, ExportTheirEntryPointsAlone) {
  std::map<std::string, std::set<std::string>> exported;
  std::string text;
  for (const std::smatch& symbol : symbols("--dynamic", text)) exported[symbol[1]].insert(symbol[3]);
  const std::set<std::string> entry_points{"attestone_abi_version", "attestone_forward", "attestone_backward",
                                           "attestone_workspace", "attestone_describe"};
  for (const HostileCase& hostile : hostile_cases("tests/hostile", "//")) {
    const std::set<std::string>& names = exported[hostile.name];
    EXPECT_TRUE(names.count("attestone_forward") == 1 && names.count("attestone_abi_version") == 1) << hostile.name;
    EXPECT_TRUE(std::includes(entry_points.begin(), entry_points.end(), names.begin(), names.end())) << hostile.name;
  }
}

}  // namespace
}  // namespace attestone
