// SPDX-License-Identifier: Apache-2.0
// A table of seeds is read as it was written, and a damaged or empty one fails the test that replays it.
#include "tests/fuzz/seed_table.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <stdexcept>
#include <sys/wait.h>

#include "tests/scratch_folder.hpp"

namespace attestone {
namespace {

/// The complaint about a table; empty if there is none.
std::string complaint(std::string_view table) {
  try {
    seeds_of(table);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

/// The exit status of one of the programs beside this one.
int status_of(const std::string& program, const std::string& words) {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const int status = std::system(((folder / program).string() + " " + words + " >/dev/null 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(SeedTable, WritesASeedForPeople) {
  EXPECT_EQ(escaped("shape=1x1 mask=none"), "shape=1x1 mask=none");
  EXPECT_EQ(escaped(std::string_view("\0\x7f\n\xff", 4)), "\\x00\\x7f\\x0a\\xff");
  EXPECT_EQ(escaped("a\\b"), "a\\\\b");
  EXPECT_EQ(escaped("#a#"), "\\x23a#");
  EXPECT_EQ(escaped(" a  "), " a\\x20\\x20");
  EXPECT_EQ(escaped("AAAAA"), "AAAAA");
  EXPECT_EQ(escaped("AAAAAA"), "A\\{6}");
  EXPECT_EQ(escaped(std::string(8, '\0') + "{"), "\\x00\\{8}{");
}

TEST(SeedTable, ReadsEveryStringThatItWrote) {
  Seeds seeds;
  for (int byte = 0; byte < 256; ++byte)
    for (std::size_t times : {1u, 2u, 3u, 5u, 9u, 1000u})
      for (const char* rest : {"", " ", "#", "\\", "{3}", "0"}) {
        seeds.insert(std::string(times, static_cast<char>(byte)) + rest);
        seeds.insert(rest + std::string(times, static_cast<char>(byte)));
      }
  EXPECT_GT(seeds.size(), 15'000u);
  EXPECT_EQ(seeds_of(table_of(seeds, "")), seeds);
}

TEST(SeedTable, KeepsTheCommentsAboveTheSeeds) {
  EXPECT_EQ(table_of({"b", "a"}, "# One.\n# Two.\nc\n# Three.\n"), "# One.\n# Two.\na\nb\n");
  EXPECT_EQ(seeds_of("# One.\na\n# Two.\nb\n"), (Seeds{"a", "b"}));
}

TEST(SeedTable, RefusesATableWithoutSeeds) {
  EXPECT_EQ(complaint(""), "no seeds");
  EXPECT_EQ(complaint("# Comments alone.\n"), "no seeds");
}

TEST(SeedTable, RefusesADamagedLineAndSaysWhich) {
  EXPECT_EQ(complaint("a\nb"), "line 2: the last line has no end");
  EXPECT_EQ(complaint("a\n\nb\n"), "line 2: an empty seed");
  EXPECT_EQ(complaint("b\na\n"), "line 2: seeds must be sorted, and each stand once");
  EXPECT_EQ(complaint("a\na\n"), "line 2: seeds must be sorted, and each stand once");
  EXPECT_EQ(complaint("\\n\n"), "line 1: an unknown escape");
  EXPECT_EQ(complaint("\\{3}\n"), "line 1: an unknown escape");
  EXPECT_EQ(complaint("a\\{3\n"), "line 1: an unknown escape");
  EXPECT_EQ(complaint("a\\{-3}\n"), "line 1: an escape without its number");
  EXPECT_EQ(complaint("\\x0\n"), "line 1: this seed is written \\x00");
  EXPECT_EQ(complaint("\\x0g\n"), "line 1: an escape without its number");
  EXPECT_EQ(complaint("\\xFF\n"), "line 1: this seed is written \\xff");
  EXPECT_EQ(complaint("AAAAAA\n"), "line 1: this seed is written A\\{6}");
  EXPECT_EQ(complaint("a \n"), "line 1: this seed is written a\\x20");
  EXPECT_EQ(complaint("a\\{0}\n"), "line 1: a run that is empty or too long");
  EXPECT_EQ(complaint("a\\{99999999999}\n"), "line 1: a run that is empty or too long");
}

class SeedPrograms : public testing::Test {
 protected:
  std::string table(const std::string& text) const {
    std::ofstream(folder / "table.txt", std::ios::binary) << text;
    return folder / "table.txt";
  }
  const ScratchFolder folder;
};

TEST_F(SeedPrograms, ReplayFailsOnAnEmptyADamagedAndAMissingTable) {
  EXPECT_EQ(status_of("replay_problem_text", table("shape=1x1x1x1x1\n")), 0);
  EXPECT_EQ(status_of("replay_problem_text", table("")), 1);
  EXPECT_EQ(status_of("replay_problem_text", table("# Nothing.\n")), 1);
  EXPECT_EQ(status_of("replay_problem_text", table("b\na\n")), 1);
  EXPECT_EQ(status_of("replay_problem_text", (folder / "absent.txt").string()), 1);
  EXPECT_EQ(status_of("replay_problem_text", folder.string()), 1);
}

TEST_F(SeedPrograms, SeedsTravelToAFolderAndBack) {
  const std::string text = "# Kept.\n\\x00\nb\n", path = table(text), files = folder / "files";
  ASSERT_EQ(status_of("fuzz_seeds", "unpack " + path + " " + files), 0);
  EXPECT_EQ(bytes_of(files + "/1"), std::string(1, '\0'));
  EXPECT_EQ(bytes_of(files + "/2"), "b");
  std::ofstream(files + "/crash-1") << "a\n";
  std::ofstream(files + "/empty").flush();
  ASSERT_EQ(status_of("fuzz_seeds", "add " + path + " " + files), 0);
  EXPECT_EQ(bytes_of(path), "# Kept.\n\\x00\na\\x0a\nb\n");
  EXPECT_EQ(status_of("fuzz_seeds", "add " + path + " " + files + "/absent"), 1);
  EXPECT_EQ(status_of("fuzz_seeds", ""), 2);
}

}  // namespace
}  // namespace attestone
