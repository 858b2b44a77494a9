// SPDX-License-Identifier: Apache-2.0
// Hostile cases are found in the files that hold them, and expect other verdicts of a machine that grants less.
// slow: starts processes that hang
#include "tests/conformance/hostile/hostile_case.hpp"

#include <fstream>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/places.hpp"
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
    std::ofstream(folder / stray) << "# expect: hang --property=gain\n@program\ndef stray():\n"
                                     "// expect: hang --property=gain\nnamespace stray {\n";
  std::ofstream(folder / "endings.py") << "# expect: crashed|hang --property=gain\n@program\ndef hangs():\n";
  std::ofstream(folder / "shell.sh") << "# expect: crashed|hang --property=gain\ncrashes() {\n";
  std::ofstream(folder / "honest.py") << "# Imported by others.\n";
  std::ofstream(folder / "kernels.cpp") << "// expect: exited --property=gain\nnamespace kernel {\n";
  std::filesystem::create_symlink("nowhere", folder / ".#hangs.py");
  const auto programs = hostile_cases(folder.string(), "#");
  EXPECT_EQ(names_of(programs), (Words{"crashes", "hangs"}));
  EXPECT_EQ(programs.front().reasons, (Words{"crashed", "hang"}));
  EXPECT_EQ(programs.front().arguments, "--property=gain");
  EXPECT_EQ(names_of(hostile_cases(folder.string(), "//")), Words{"kernel"});
}

TEST(HostileCases, AreManyInAFile) {
  const ScratchFolder folder;
  std::ofstream(folder / "kernels.cpp") << R"(// Kernels.
#include "honest.hpp"

namespace {

int helper;

}  // namespace

// Ends.
// expect: exited --property=gain
// leaves: a_file
namespace ends {

namespace {

int calls;

}  // namespace

int attestone_forward() { return calls; }

}  // namespace ends

// Nobody says what is expected of it.
namespace forgotten {
}  // namespace forgotten
)";
  std::ofstream(folder / "programs.py") << R"(def helper():
    pass


# Crashes.
# expect: crashed --property=gain
# says: signal 11
@program
def crashes():
    pass


@program
def forgotten_as_well():
    pass
)";
  const auto kernels = hostile_cases(folder.string(), "//"), programs = hostile_cases(folder.string(), "#");
  ASSERT_EQ(names_of(kernels), (Words{"ends", "forgotten"}));
  EXPECT_EQ(kernels[0].reasons, Words{"exited"});
  EXPECT_EQ(kernels[0].leaves, "a_file");
  EXPECT_TRUE(kernels[1].reasons.empty() && kernels[1].arguments.empty() && kernels[1].leaves.empty());
  ASSERT_EQ(names_of(programs), (Words{"crashes", "forgotten_as_well"}));
  EXPECT_EQ(programs[0].says, "signal 11");
  EXPECT_TRUE(programs[1].reasons.empty() && programs[1].says.empty());
  EXPECT_EQ(command_of(programs[0]), "python3 -S " + (folder / "programs.py").string() + " crashes");
}

// An expectation in front of something that is no case would go unnoticed.
TEST(HostileCases, AreAsManyAsExpectations) {
  for (const auto& [folder, comment] : std::vector<std::pair<std::string, std::string>>{
           {"tests/hostile", "//"}, {"tests/hostile_programs", "#"}, {"tests/hostile_ranks", "#"}}) {
    const auto all = hostile_cases(folder, comment);
    std::set<std::string> names;
    for (const HostileCase& hostile : all) {
      EXPECT_FALSE(hostile.reasons.empty()) << hostile.name;
      EXPECT_TRUE(names.insert(hostile.name).second) << hostile.name << " is there twice";
    }
    std::size_t expectations = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(source_folder()) / folder)) {
      std::istringstream lines(entry.is_regular_file() ? content_of(entry.path()) : "");
      for (std::string line; std::getline(lines, line);) expectations += line.starts_with(comment + " expect: ");
    }
    EXPECT_EQ(all.size(), expectations) << folder;
  }
}

TEST(HostileCases, ExpectWhatTheMachineGrants) {
  const ScratchFolder folder;
  std::ofstream(folder / "hides.cpp") << "// expect: conforms --property=gain\n"
                                         "// expect without own processes: left-process|hang\n"
                                         "// leaves without own processes: a_segment\n"
                                         "namespace hides {\n";
  const HostileCase hostile = hostile_cases(folder.string(), "//").at(0);
  const std::string granted = "\n  own processes               yes\n",
                    refused = "\n  own processes               no (user, PID and mount namespaces): it can see\n";
  EXPECT_EQ(expected_where(hostile, granted).reasons, Words{"conforms"});
  EXPECT_EQ(expected_where(hostile, granted).left_in_shared_memory, std::set<std::string>{});
  EXPECT_EQ(expected_where(hostile, refused).reasons, (Words{"left-process", "hang"}));
  EXPECT_EQ(expected_where(hostile, refused).left_in_shared_memory, std::set<std::string>{"a_segment"});
  EXPECT_NONFATAL_FAILURE(expected_where(hostile, "what no doctor says"), "does not speak of 'own processes'");
}

}  // namespace
}  // namespace attestone
