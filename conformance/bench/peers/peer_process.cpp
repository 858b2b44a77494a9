// SPDX-License-Identifier: Apache-2.0
// Spawning, lines through pipes, and signals to the group.
#include "conformance/bench/peers/peer_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "backends/stop_request.hpp"
#include "conformance/bench/contender.hpp"
#include "reference/system_failure.hpp"

namespace attestone::inline conformance {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int glance_ms = 50;

/// The environment of this process, with these variables set.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& set) {
  std::vector<std::string> all;
  for (char** at = environ; *at; ++at) {
    const std::string variable = *at;
    if (!set.count(variable.substr(0, variable.find('=')))) all.push_back(variable);
  }
  for (const auto& [name, value] : set) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

/// The last line that holds anything.
std::string last_line(const Descriptor& file) {
  constexpr off_t most = 4096;
  const off_t end = lseek(file.get(), 0, SEEK_END);
  std::array<char, most> buffer{};
  const ssize_t got = pread(file.get(), buffer.data(), buffer.size(), std::max<off_t>(end - most, 0));
  std::string text(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

PeerProcess::PeerProcess(const std::string& line, const std::string& word,
                         const std::map<std::string, std::string>& environment) {
  auto [ours, theirs] = connected_pair(SOCK_STREAM);
  auto [from, their_output] = one_way_pair();
  errors_ = Descriptor(memfd_create("what a peer complains of", MFD_CLOEXEC));
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, theirs.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, their_output.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, errors_.get(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigdefault(&attributes, &all);
  // Ctrl-C is for attestone, which then ends its peers.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> words{"sh", "-c", line + " \"$@\"", "sh", word}, variables = environment_with(environment);
  const int error =
      posix_spawn(&id_, "/bin/sh", &files, &attributes, pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) throw SystemFailure(fmt::format("starting a peer: {}", std::strerror(error)));
  to_ = std::move(ours), from_ = std::move(from);
}

PeerProcess::~PeerProcess() {
  to_.close(), from_.close();
  kill(-id_, SIGKILL);
  while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) continue;
}

void PeerProcess::throw_ended() {
  const std::string said = last_line(errors_);
  throw Misbehaved(said.empty() ? "its process ended" : fmt::format("its process ended: {}", said));
}

std::string PeerProcess::answer(const std::string& line, double seconds) {
  const std::string sent = line + "\n";
  for (std::size_t done = 0; done < sent.size();) {
    const ssize_t wrote = send(to_.get(), sent.data() + done, sent.size() - done, MSG_NOSIGNAL);
    if (wrote < 0 && errno != EINTR) throw_ended();
    done += static_cast<std::size_t>(std::max<ssize_t>(wrote, 0));
  }
  return this->line(seconds);
}

std::string PeerProcess::line(double seconds) {
  constexpr std::size_t longest = 1 << 20;
  const auto begin = Clock::now();
  for (;;) {
    if (const std::size_t end = read_.find('\n'); end != std::string::npos) {
      const std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return line;
    }
    if (stop_is_asked()) throw Stopped();
    if (read_.size() > longest) throw Misbehaved("answers without an end");
    if (std::chrono::duration<double>(Clock::now() - begin).count() > seconds)
      throw Misbehaved(fmt::format("no answer within {:g} s", seconds));
    pollfd event{from_.get(), POLLIN, 0};
    if (poll(&event, 1, glance_ms) <= 0) continue;
    std::array<char, 4096> buffer;
    const ssize_t got = read(from_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw_ended();
    read_.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

void PeerProcess::pause() { kill(-id_, SIGSTOP); }
void PeerProcess::resume() { kill(-id_, SIGCONT); }

}  // namespace attestone::inline conformance
