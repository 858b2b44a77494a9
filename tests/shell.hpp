// SPDX-License-Identifier: Apache-2.0
// Running the program as a user does: a line in a shell.
#pragma once

#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <sys/wait.h>

#include "tests/places.hpp"

namespace attestone {

struct ShellOutput {
  int status;
  std::string text;  ///< standard output, and standard error with it where the line asks for that
};

/// Runs a line with the program's folder on the path. (LeakSanitizer traces the threads of a process at its end, which
/// the program forbids: it keeps its memory to itself. Leaks show in the tests that call the library.)
inline ShellOutput shell(const std::string& line) {
  const std::string command =
      fmt::format("PATH='{}':\"$PATH\"; export ASAN_OPTIONS=detect_leaks=0; {}", program_folder(), line);
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer;
  for (std::size_t count; (count = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    text.append(buffer.data(), count);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
}

}  // namespace attestone
