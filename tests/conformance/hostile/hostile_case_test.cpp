// SPDX-License-Identifier: Apache-2.0
// Which files are hostile cases, and which verdict they expect of a machine that grants less.
#include "tests/conformance/hostile/hostile_case.hpp"

#include <fstream>
#include <gtest/gtest.h>

#include "tests/scratch_folder.hpp"

namespace attestone {
namespace {

using Words = std::vector<std::string>;

std::vector<std::string> names_of(const std::vector<HostileCase>& cases) {
  std::vector<std::string> names;
  for (const HostileCase& hostile : cases) names.push_back(hostile.name);
  return names;
}

TEST(HostileCases, AreFilesOfCodeAlone) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "__pycache__");
  std::filesystem::create_directories(folder / "folder.py");
  for (const char* stray :
       {"__pycache__/hangs.cpython-311.pyc", "hangs.py~", ".hangs.py.swp", "notes.txt", "honest.hpp"})
    std::ofstream(folder / stray) << "# expect: hang --property=value_bound\n// expect: hang --property=value_bound\n";
  for (const char* program : {"hangs.py", "crashes.sh"})
    std::ofstream(folder / program) << "# expect: crashed|hang --property=gain\n";
  std::ofstream(folder / "honest.py") << "# Imported by others.\n";
  std::ofstream(folder / "kernel.cpp") << "// expect: exited --property=gain\n";
  std::filesystem::create_symlink("nowhere", folder / ".#hangs.py");
  const auto programs = hostile_cases(folder.string(), "#");
  EXPECT_EQ(names_of(programs), (Words{"crashes", "hangs"}));
  EXPECT_EQ(programs.front().reasons, (Words{"crashed", "hang"}));
  EXPECT_EQ(programs.front().arguments, "--property=gain");
  EXPECT_EQ(names_of(hostile_cases(folder.string(), "//")), Words{"kernel"});
}

TEST(HostileCases, ExpectWhatTheMachineGrants) {
  const ScratchFolder folder;
  std::ofstream(folder / "hides.cpp") << "// expect: conforms --property=gain\n"
                                         "// expect without own processes: left-process|hang\n";
  const HostileCase hostile = hostile_cases(folder.string(), "//").at(0);
  const std::string granted = "\n  own processes               yes\n",
                    refused = "\n  own processes               no (user, PID and mount namespaces): it can see\n";
  EXPECT_EQ(reasons_here(hostile, granted), Words{"conforms"});
  EXPECT_EQ(reasons_here(hostile, refused), (Words{"left-process", "hang"}));
}

}  // namespace
}  // namespace attestone
