// SPDX-License-Identifier: Apache-2.0
// The processes that descend from this one, also those that gave up their parents, their group and their environment.
#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace attestone {

/// From its construction on every orphan below this process becomes its child, so none gets away; in its destructor all
/// of them end.
class Descendants {
 public:
  Descendants() { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~Descendants() {
    for (int round = 0; round < 100 && !living().empty(); ++round) {
      for (const pid_t process : living()) kill(process, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    while (waitpid(-1, nullptr, WNOHANG) > 0) continue;
  }
  Descendants(const Descendants&) = delete;
  Descendants& operator=(const Descendants&) = delete;

  /// The living descendants, whatever their state. A process that has ended and was not yet waited for does not count.
  static std::set<pid_t> living() {
    std::multimap<pid_t, pid_t> children;
    std::set<pid_t> ended;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      const auto [state, parent] = status_of(name);
      if (parent < 0) continue;
      children.emplace(parent, std::stoi(name));
      if (state == 'Z' || state == 'X') ended.insert(std::stoi(name));
    }
    std::set<pid_t> found;
    for (std::vector<pid_t> above{getpid()}; !above.empty();) {
      const pid_t parent = above.back();
      above.pop_back();
      const auto [begin, end] = children.equal_range(parent);
      for (auto child = begin; child != end; ++child) {
        above.push_back(child->second);
        if (ended.count(child->second) == 0) found.insert(child->second);
      }
    }
    return found;
  }

  /// The command lines of descendants that still live after `patience`.
  static std::vector<std::string> left(std::chrono::milliseconds patience = std::chrono::seconds(1)) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!living().empty() && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::vector<std::string> lines;
    for (const pid_t process : living()) {
      std::string line;
      std::getline(std::ifstream("/proc/" + std::to_string(process) + "/cmdline"), line);
      for (char& letter : line)
        if (letter == '\0') letter = ' ';
      lines.push_back(std::to_string(process) + ": " + line);
    }
    return lines;
  }

 private:
  struct Status {
    char state;
    pid_t parent;
  };

  static Status status_of(const std::string& process) {
    std::ifstream file("/proc/" + process + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t name_end = text.rfind(')');
    if (name_end == std::string::npos || name_end + 4 >= text.size()) return {'X', -1};
    return {text[name_end + 2], std::stoi(text.substr(name_end + 4))};
  }
};

}  // namespace attestone
