// SPDX-License-Identifier: Apache-2.0
// What tests of the command line have in common: a folder with everything that is not what a user meant, and how a
// mistake has to be answered.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/contains.hpp"
#include "tests/program.hpp"
#include "tests/shell.hpp"

namespace attestone {

/// How often the text begins a line with "attestone:".
inline int messages(const std::string& text) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find("attestone: ", at)) != std::string::npos; ++at)
    count += at == 0 || text[at - 1] == '\n';
  return count;
}

/// The program, in such a folder.
class CommandLine : public testing::Test {
 protected:
  CommandLine() {
    std::filesystem::create_directory(folder / "directory");
    std::filesystem::create_symlink("loop", folder / "loop");
    std::filesystem::create_symlink("nowhere", folder / "dangling");
    EXPECT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    write("text", "hello\n");
    write("empty", "");
    write("suite", "# right, then wrong\nshape=1x1x4x4x4\nshape=1x1x4x4x4 mask=casual\n");
    write("bytes", std::string("shape=1x1x4\0x4x4\n\xff\xfe\n", 20));
    write("sparse", std::string(16, '\0'));
    std::filesystem::resize_file(folder / "sparse", std::uintmax_t{200} << 30);
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder / name, std::ios::binary) << text;
  }

  ProgramResult run(const std::vector<std::string>& words, const std::vector<std::string>& environment = {}) {
    return run_program({environment, words}, folder.path(), most_seconds);
  }

  /// Expects status 2, nothing on standard output, and one message, with `part`, on standard error.
  void refuses(const std::vector<std::string>& words, const std::string& part,
               const std::vector<std::string>& environment = {}) {
    const ProgramResult result = run(words, environment);
    const std::string line = ProgramCall{environment, words}.text();
    EXPECT_EQ(result.status, 2) << line << "\n" << result.err;
    EXPECT_EQ(result.out, "") << line;
    EXPECT_EQ(messages(result.err), 1) << line << "\n" << result.err;
    EXPECT_TRUE(contains(result.err, part)) << line << "\n" << result.err;
  }

  static constexpr const char *flash = "--kernel=flash", *small = "shape=1x1x4x4x4";
  ScratchFolder folder;

 private:
  static constexpr double most_seconds = 60;
};

}  // namespace attestone
