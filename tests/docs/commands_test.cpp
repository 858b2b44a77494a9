// SPDX-License-Identifier: Apache-2.0
// The pages show runs of the program: each "$ attestone" in a block is run again, and must print what is shown there.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <sstream>
#include <vector>

#include "tests/effort.hpp"
#include "tests/places.hpp"
#include "tests/shell.hpp"

namespace attestone {
namespace {

using Lines = std::vector<std::string>;

/// A command of a page, with the lines that the page shows below it; "..." stands for any number of lines.
struct ShownCommand {
  std::string page, command;
  Lines shown;
};

std::vector<std::filesystem::path> pages() {
  const std::filesystem::path root = source_folder();
  std::vector<std::filesystem::path> all{root / "README.md", root / "CONTRIBUTING.md"};
  for (const auto& entry : std::filesystem::directory_iterator(root / "docs"))
    if (entry.is_regular_file() && entry.path().extension() == ".md") all.push_back(entry.path());
  return all;
}

/// The commands of a page; those of a block behind a line "<!-- slow: why -->" only if slow ones are asked for.
std::vector<ShownCommand> shown_commands(const std::string& page, std::istream& text, bool with_slow) {
  std::vector<ShownCommand> all;
  bool in_block = false, in_command = false, is_slow = false;
  for (std::string line; std::getline(text, line);) {
    if (line.rfind("```", 0) == 0) {
      is_slow = is_slow && !in_block;
      in_block = !in_block, in_command = false;
    } else if (line.rfind("<!-- slow: ", 0) == 0) {
      is_slow = true;
    } else if (in_block && line.rfind("$ attestone", 0) == 0 && (with_slow || !is_slow)) {
      all.push_back({page, line.substr(2), {}});
      in_command = true;
    } else if (in_command) {
      all.back().shown.push_back(line);
    }
  }
  return all;
}

Lines lines_of(const std::string& text) {
  // The one thing that differs from machine to machine.
  static const std::regex instruction_set("instruction set [A-Z0-9_]+");
  std::istringstream in(std::regex_replace(text, instruction_set, "instruction set ..."));
  Lines lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The first shown line that is not where it should be in the output; nothing if all are.
std::string first_difference(const Lines& shown, const Lines& output) {
  auto at = output.begin();
  bool anywhere = false;
  for (const std::string& line : shown) {
    if (line == "...") {
      anywhere = true;
      continue;
    }
    if (anywhere) at = std::find(at, output.end(), line);
    if (at == output.end() || *at != line) return line;
    ++at, anywhere = false;
  }
  return at == output.end() || anywhere ? "" : "the end, but more follows: " + *at;
}

/// In CI those of blocks that are not slow.
// slow: runs every command of the pages
TEST(DocsCommands, PrintWhatThePagesShow) {
  std::size_t runs = 0;
  for (const auto& page : pages()) {
    std::ifstream file(page);
    for (const ShownCommand& example : shown_commands(page.filename().string(), file, effort(0, 1))) {
      const std::string text = shell(example.command + " 2>&1").text;
      std::string shown;
      for (const std::string& line : example.shown) shown += line + "\n";
      const std::string difference = first_difference(lines_of(shown), lines_of(text));
      EXPECT_EQ(difference, "") << example.page << " shows this of\n$ " << example.command << "\n" << text;
      ++runs;
    }
  }
  EXPECT_GE(runs, 5u);
}

TEST(DocsCommands, OfSlowBlocksAreLeftOutWhereNobodyAsksForThem) {
  const std::string page = "<!-- slow: minutes -->\n```\n$ attestone a\n```\n```\n$ attestone b\n```\n";
  const auto commands = [&](bool with_slow) {
    std::istringstream text(page);
    Lines all;
    for (const ShownCommand& shown : shown_commands("page", text, with_slow)) all.push_back(shown.command);
    return all;
  };
  EXPECT_EQ(commands(true), (Lines{"attestone a", "attestone b"}));
  EXPECT_EQ(commands(false), Lines{"attestone b"});
}

TEST(DocsCommands, NoticeWhatIsMissingMovedOrLeftOut) {
  const Lines output{"a", "b", "c"};
  for (const Lines& right : {Lines{"a", "b", "c"}, {"...", "b", "..."}, {"a", "...", "c"}, {"..."}})
    EXPECT_EQ(first_difference(right, output), "");
  for (const Lines& wrong :
       {Lines{"a", "c"}, {"...", "b"}, {"b", "..."}, {"...", "c", "...", "a"}, {"...", "x", "..."}})
    EXPECT_NE(first_difference(wrong, output), "");
}

}  // namespace
}  // namespace attestone
