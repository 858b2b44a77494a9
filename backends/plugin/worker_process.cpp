// SPDX-License-Identifier: Apache-2.0
// Finding the worker program beside the library, and spawning it.
#include "backends/plugin/worker_process.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "backends/plugin/wire.hpp"

namespace attestone {
namespace {

constexpr int patience_with_keeper_ms = 30'000, patience_with_orphan_ms = 1000;

/// The worker lies where the build, or the installation, put it relative to the library.
std::filesystem::path worker_program() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&ending_text), &info);
  const auto folder = std::filesystem::canonical(info.dli_fname).parent_path();
  for (const char* place : {".", ATTESTONE_WORKER_FROM_LIBRARY})
    if (const auto path = folder / place / "attestone_worker"; std::filesystem::exists(path)) return path;
  throw std::runtime_error(
      fmt::format("attestone_worker is neither in {} nor where it was installed", folder.string()));
}

/// What a spawned program begins with: its descriptors, its signals, a process group of its own.
class Spawning {
 public:
  Spawning() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    // Ctrl-C is for attestone, which then ends its workers.
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Spawning() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  Spawning(const Spawning&) = delete;
  Spawning& operator=(const Spawning&) = delete;

  void hand_over(const Descriptor& ours, int number) {
    posix_spawn_file_actions_adddup2(&actions_, ours.get(), number);
  }

  pid_t spawn(const std::string& program, std::string kind, std::string argument) {
    std::string name = program;
    char* const arguments[] = {name.data(), kind.data(), argument.data(), nullptr};
    pid_t id = 0;
    const int error = posix_spawn(&id, program.c_str(), &actions_, &attributes_, arguments, environ);
    if (error != 0) throw std::system_error(error, std::generic_category(), "starting " + program);
    return id;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

void stop_blocking(const Descriptor& descriptor) {
  fcntl(descriptor.get(), F_SETFL, fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK);
}

}  // namespace

WorkerProcess::WorkerProcess(Kind kind, const std::string& argument) {
  const bool plugin = kind == Kind::plugin;
  auto [call, their_call] = connected_pair(plugin ? SOCK_SEQPACKET : SOCK_STREAM);
  auto [output, their_output] = one_way_pair();
  auto [keeper, their_keeper] = connected_pair(SOCK_SEQPACKET);
  Spawning spawning;
  spawning.hand_over(their_call, plugin ? wire::call_descriptor : STDIN_FILENO);
  spawning.hand_over(their_output, STDOUT_FILENO);
  spawning.hand_over(their_keeper, wire::keeper_descriptor);
  keeper_id_ = spawning.spawn(worker_program().string(), plugin ? "plugin" : "program", argument);
  their_call.close(), their_output.close(), their_keeper.close();

  wire::Kept first;
  pollfd event{keeper.get(), POLLIN, 0};
  if (poll(&event, 1, patience_with_keeper_ms) <= 0 ||
      recv(keeper.get(), &first, sizeof first, 0) != static_cast<ssize_t>(sizeof first)) {
    keeper.close();
    kill(keeper_id_, SIGKILL);
    waitpid(keeper_id_, nullptr, 0);
    throw std::runtime_error("attestone_worker does not start");
  }
  process_ = first.process;
  call_ = std::move(call), output_ = std::move(output), keeper_ = std::move(keeper);
  for (const Descriptor* ours : {&call_, &output_, &keeper_}) stop_blocking(*ours);
}

WorkerProcess::~WorkerProcess() {
  if (keeper_is_gone_) {
    // Nobody else would, and nobody says when it is done: the process is not a child of this one.
    kill(-process_, SIGKILL);
    for (int waited = 0; waited < patience_with_orphan_ms && kill(process_, 0) == 0; ++waited) usleep(1000);
  }
  call_.close(), output_.close(), keeper_.close();
  while (waitpid(keeper_id_, nullptr, 0) < 0 && errno == EINTR) continue;
}

std::optional<int> WorkerProcess::ended() {
  wire::Kept message;
  const ssize_t bytes = recv(keeper_.get(), &message, sizeof message, 0);
  if (bytes == static_cast<ssize_t>(sizeof message) && message.ended) status_ = message.status;
  keeper_is_gone_ = bytes == 0;
  if (keeper_is_gone_) status_ = SIGKILL;  // what it kept ends with it
  return status_;
}

std::string ending_text(int status) {
  if (WIFSIGNALED(status)) return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

}  // namespace attestone
