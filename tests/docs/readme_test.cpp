// SPDX-License-Identifier: Apache-2.0
// README.md shows a run of the program: the run is repeated, and every line shown must be in its output.
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

#include "tests/shell.hpp"

namespace attestone {
namespace {

TEST(Readme, ShowsARunAsItIs) {
  std::ifstream readme(ATTESTONE_SOURCE_DIR "/README.md");
  std::string line, output;
  while (std::getline(readme, line) && line.rfind("$ attestone", 0) != 0) {
  }
  ASSERT_FALSE(line.empty()) << "README.md shows no run";
  output = shell(line.substr(2)).text;
  int shown = 0;
  while (std::getline(readme, line) && line != "```") {
    const bool depends_on_machine = line.find("instruction set") != std::string::npos;
    if (line == "..." || depends_on_machine) continue;
    EXPECT_NE(output.find(line), std::string::npos) << "not in the output: " << line << "\n" << output;
    ++shown;
  }
  EXPECT_GT(shown, 5);
}

}  // namespace
}  // namespace attestone
