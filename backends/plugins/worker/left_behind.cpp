// SPDX-License-Identifier: Apache-2.0
// Looking into /proc, where killing all at once is not possible.
#include "backends/plugins/worker/left_behind.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace attestone::inline backends::worker {
namespace {

constexpr int look_again_us = 1000;

/// The numbers that name entries of a folder of /proc.
std::vector<pid_t> numbers_in(const char* folder) {
  std::vector<pid_t> all;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(folder), closedir);
  if (!directory) return all;
  while (const dirent* entry = readdir(directory.get()))
    if (const pid_t number = std::atoi(entry->d_name); number > 0) all.push_back(number);
  return all;
}

/// State and parent of a process or thread, from its stat; 'X' if it is gone.
struct ProcessState {
  char state = 'X';
  pid_t parent = 0;
};

ProcessState state_of(const std::string& folder) {
  ProcessState found;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen((folder + "/stat").c_str(), "re"), std::fclose);
  char text[1024];
  if (!file || !std::fgets(text, sizeof text, file.get())) return found;
  // The name stands in parentheses and may hold anything, parentheses included.
  if (const char* rest = std::strrchr(text, ')')) std::sscanf(rest + 1, " %c %d", &found.state, &found.parent);
  return found;
}

}  // namespace

void kill_descendants() {
  // The first of a world of processes: what is left of it ends with this one.
  if (getpid() == 1) return;
  // Orphans of the killed become children of this process, and are found in the next round.
  for (;;) {
    for (const pid_t process : numbers_in("/proc"))
      if (state_of("/proc/" + std::to_string(process)).parent == getpid()) kill(process, SIGKILL);
    pid_t buried = 0;
    while ((buried = waitpid(-1, nullptr, WNOHANG | __WALL)) > 0) continue;
    if (buried < 0 && errno != EINTR) return;
    usleep(look_again_us);
  }
}

}  // namespace attestone::inline backends::worker
