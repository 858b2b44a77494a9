// SPDX-License-Identifier: Apache-2.0
// Finds the judge from within a kernel: only ever the one that runs this kernel, never another that happens to run.
#pragma once

#include <csignal>
#include <cstdint>
#include <fstream>
#include <string>
#include <sys/types.h>
#include <unistd.h>
#include <vector>

namespace hostile {

inline std::string name_of(pid_t process) {
  std::string name;
  std::getline(std::ifstream("/proc/" + std::to_string(process) + "/comm"), name);
  return name;
}

inline pid_t parent_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  return name_end == std::string::npos ? 0 : static_cast<pid_t>(std::stoi(text.substr(name_end + 4)));
}

/// attestone's processes above this one: who started it first, the judge last. Empty where they cannot be seen.
inline std::vector<pid_t> attestones_above() {
  std::vector<pid_t> all;
  for (pid_t process = getppid(); process > 1 && name_of(process).starts_with("attestone");
       process = parent_of(process))
    all.push_back(process);
  return all;
}

/// Sends a signal to attestone's process right above this one, if it can be seen: never to anybody else.
inline bool signal_keeper(int number) {
  const std::vector<pid_t> above = attestones_above();
  return !above.empty() && kill(above.front(), number) == 0;
}

/// And to the judge itself.
inline bool signal_judge(int number) {
  const std::vector<pid_t> above = attestones_above();
  return !above.empty() && kill(above.back(), number) == 0;
}

/// A piece of another process's memory.
struct Piece {
  uintptr_t begin, end;
  std::string rights, file;
};

inline std::vector<Piece> memory_of(pid_t process) {
  std::vector<Piece> pieces;
  std::ifstream file("/proc/" + std::to_string(process) + "/maps");
  for (std::string line; std::getline(file, line);) {
    Piece piece{};
    std::size_t used = 0;
    piece.begin = std::stoul(line, &used, 16);
    piece.end = std::stoul(line.substr(used + 1), nullptr, 16);
    piece.rights = line.substr(line.find(' ') + 1, 4);
    if (const std::size_t path = line.find('/'); path != std::string::npos) piece.file = line.substr(path);
    pieces.push_back(piece);
  }
  return pieces;
}

}  // namespace hostile
