// SPDX-License-Identifier: Apache-2.0
// Running the program as its own process, with its two outputs apart and a limit of time.
#pragma once

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tests/places.hpp"
#include "tests/scratch_folder.hpp"

namespace attestone {

/// A command line: variables of the environment ("OMP_NUM_THREADS=2"), and the words behind the program's name.
struct ProgramCall {
  std::vector<std::string> environment, words;

  /// The call as a line for a shell, quoted.
  std::string text() const {
    const auto quoted = [](const std::string& word) {
      std::string all = "'";
      for (const char c : word) {
        constexpr char digits[] = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\'' || byte < ' ' || byte > '~')
          all += std::string("'$'\\x") + digits[byte / 16] + digits[byte % 16] + "''";
        else
          all += c;
      }
      return all + "'";
    };
    std::string line;
    for (const std::string& variable : environment) line += quoted(variable) + " ";
    line = (environment.empty() ? "" : "env " + line) + "attestone";
    for (const std::string& word : words) line += " " + quoted(word);
    return line;
  }
};

struct ProgramResult {
  int status = -1;           ///< -1 if a signal ended it
  int signal = 0;            ///< that ended it
  bool was_stopped = false;  ///< it took longer than it may, and was sent SIGINT
  std::string out, err;
};

/// Runs the program in a folder. Beyond `seconds` it gets SIGINT, beyond as many again SIGKILL.
inline ProgramResult run_program(const ProgramCall& call, const std::filesystem::path& folder, double seconds) {
  using Clock = std::chrono::steady_clock;
  const ScratchFolder outputs;
  const std::string program = program_folder() + "/attestone", out = outputs / "out", err = outputs / "err";
  std::vector<std::string> words = call.words, variables = call.environment;
  for (char** variable = environ; *variable; ++variable) variables.emplace_back(*variable);
  std::vector<char*> arguments{const_cast<char*>("attestone")}, environment;
  for (std::string& word : words) arguments.push_back(word.data());
  for (std::string& variable : variables) environment.push_back(variable.data());
  arguments.push_back(nullptr), environment.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addchdir_np(&files, folder.c_str());
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&files, 2, err.c_str(), O_WRONLY | O_CREAT, 0600);
  pid_t id = 0;
  const int error = posix_spawn(&id, program.c_str(), &files, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&files);
  EXPECT_EQ(error, 0) << program;

  ProgramResult result;
  const auto begin = Clock::now();
  int status = 0;
  while (waitpid(id, &status, WNOHANG) == 0) {
    const double spent = std::chrono::duration<double>(Clock::now() - begin).count();
    if (spent > 2 * seconds) kill(id, SIGKILL);
    if (spent > seconds && !result.was_stopped) result.was_stopped = kill(id, SIGINT) == 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  const auto text_of = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  result.out = text_of(out), result.err = text_of(err);
  return result;
}

}  // namespace attestone
