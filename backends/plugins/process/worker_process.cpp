// SPDX-License-Identifier: Apache-2.0
// Spawning a worker, hearing from its keeper, and ending it.
#include "backends/plugins/process/worker_process.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <string>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/plugins/process/descriptor.hpp"
#include "backends/plugins/process/live_keepers.hpp"
#include "backends/plugins/process/process_tree.hpp"
#include "backends/plugins/protocol/wire.hpp"
#include "reference/system_failure.hpp"

namespace attestone::inline backends {
namespace {

/// The worker lies where the build, or the installation, put it relative to the library.
std::string path_of_program() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&path_of_program), &info);
  const auto folder = std::filesystem::canonical(info.dli_fname).parent_path();
  for (const char* place : {".", ATTESTONE_WORKER_FROM_LIBRARY})
    if (const auto path = folder / place / "attestone_worker"; std::filesystem::exists(path)) return path.string();
  throw SystemFailure(fmt::format("attestone_worker is neither in {} nor where it was installed", folder.string()));
}

/// The program in which outside kernels run, as it is spawned: its descriptors, its signals.
class WorkerProgram {
 public:
  WorkerProgram();
  ~WorkerProgram();
  WorkerProgram(const WorkerProgram&) = delete;
  WorkerProgram& operator=(const WorkerProgram&) = delete;

  void hand_over(const Descriptor& ours, int number);
  /// SystemFailure if it is not there or cannot be started.
  pid_t spawn(std::string kind, std::string argument, std::string threads);

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

WorkerProgram::WorkerProgram() {
  posix_spawn_file_actions_init(&actions_);
  posix_spawnattr_init(&attributes_);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes_, &none);
  posix_spawnattr_setsigdefault(&attributes_, &all);
  // A process group of its own: Ctrl-C is for attestone, which then ends its workers. (Not a session: the scheduler
  // would then treat both sides of each call as strangers.)
  posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

WorkerProgram::~WorkerProgram() {
  posix_spawn_file_actions_destroy(&actions_);
  posix_spawnattr_destroy(&attributes_);
}

void WorkerProgram::hand_over(const Descriptor& ours, int number) {
  posix_spawn_file_actions_adddup2(&actions_, ours.get(), number);
}

pid_t WorkerProgram::spawn(std::string kind, std::string argument, std::string threads) {
  std::string program = path_of_program();
  char* const arguments[] = {program.data(), kind.data(), argument.data(), threads.data(), nullptr};
  pid_t id = 0;
  const int error = posix_spawn(&id, program.c_str(), &actions_, &attributes_, arguments, environ);
  if (error != 0) throw SystemFailure(fmt::format("starting {}: {}", program, strerror(error)));
  return id;
}

/// " 1234567 " and "libattestone.so.0.1.0": as a line of /proc/PID/maps holds both. Devices are numbered otherwise
/// there on some file systems.
struct MappedFile {
  std::string inode, name;
};

const MappedFile& own_library() {
  static const MappedFile own = [] {
    Dl_info info{};
    dladdr(reinterpret_cast<const void*>(&own_library), &info);
    const std::filesystem::path path = std::filesystem::canonical(info.dli_fname);
    struct stat file {};
    stat(path.c_str(), &file);
    return MappedFile{fmt::format(" {} ", file.st_ino), path.filename()};
  }();
  return own;
}

/// True if one of the processes has mapped the library of which this code is a part; attestone's program has, too.
bool map_own_library(const std::vector<pid_t>& processes) {
  const auto maps_it = [&](pid_t process) {
    const std::string maps = proc_text(fmt::format("/proc/{}/maps", process));
    for (std::size_t at = 0; at < maps.size();) {
      const std::size_t end = std::min(maps.find('\n', at), maps.size());
      const std::string_view line = std::string_view(maps).substr(at, end - at);
      if (line.ends_with(own_library().name) && line.find(own_library().inode) != std::string_view::npos) return true;
      at = end + 1;
    }
    return false;
  };
  return std::ranges::any_of(processes, maps_it);
}

constexpr int patience_with_keeper_ms = 30'000, patience_with_orphan_ms = 1000;

void stop_blocking(const Descriptor& descriptor) {
  fcntl(descriptor.get(), F_SETFL, fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK);
}

}  // namespace

WorkerProcess::WorkerProcess(Kind kind, const std::string& argument, int threads) {
  // No other process of this user reads this one's memory from now on, or writes to it: truths lie there.
  prctl(PR_SET_DUMPABLE, 0);
  const bool plugin = kind == Kind::plugin;
  auto [call, their_call] = connected_pair(plugin ? SOCK_SEQPACKET : SOCK_STREAM);
  auto [output, their_output] = one_way_pair();
  auto [words, their_words] = one_way_pair();
  auto [keeper, their_keeper] = connected_pair(SOCK_SEQPACKET);
  WorkerProgram program;
  program.hand_over(their_call, plugin ? wire::call_descriptor : STDIN_FILENO);
  program.hand_over(their_output, STDOUT_FILENO);
  program.hand_over(their_words, STDERR_FILENO);
  program.hand_over(their_keeper, wire::keeper_descriptor);
  all_ = {program.spawn(plugin ? "plugin" : "program", argument, std::to_string(threads))};
  call_ = std::move(call), output_ = std::move(output), keeper_ = std::move(keeper);
  words_.emplace(std::move(words));
  their_call.close(), their_output.close(), their_words.close(), their_keeper.close();
  await_begin();
  for (const Descriptor* ours : {&call_, &output_, &keeper_}) stop_blocking(*ours);
  note_keeper(all_.front(), keeper_.get());
}

void WorkerProcess::await_begin() {
  pollfd event{keeper_.get(), POLLIN, 0};
  const bool begun = poll(&event, 1, patience_with_keeper_ms) > 0 &&
                     recv(keeper_.get(), &begun_, sizeof begun_, 0) == static_cast<ssize_t>(sizeof begun_) &&
                     !begun_.ended;
  if (!begun) {
    keeper_.close();
    kill(all_.front(), SIGKILL);
    waitpid(all_.front(), nullptr, 0);
    throw SystemFailure("attestone_worker does not start");
  }
  // Nothing of the kernel's runs yet in a plugin's worker; a program's sh begins at this moment, and is the last one.
  const std::size_t own = begun_.measures & wire::own_processes ? 3 : 2;
  for (const pid_t process : descendants_of(all_.front()))
    if (all_.size() < own) all_.push_back(process);
  if (all_.size() < own) all_.resize(own, 0);  // it has ended already, and the keeper will say so
}

WorkerProcess::~WorkerProcess() {
  forget_keeper(all_.front());
  if (keeper_is_gone_ && id() > 0) {
    // Nobody else would, and nobody says when it is done: the process is not a child of this one.
    kill(-id(), SIGKILL);
    for (int waited = 0; waited < patience_with_orphan_ms && kill(id(), 0) == 0; ++waited) usleep(1000);
  }
  call_.close(), output_.close(), keeper_.close();
  while (waitpid(all_.front(), nullptr, 0) < 0 && errno == EINTR) continue;
}

bool WorkerProcess::maps_own_library() {
  if (!std::has_single_bit(++calls_)) return false;
  std::vector<pid_t> processes = descendants_of(all_.front());
  processes.push_back(id());
  return map_own_library(processes);
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
  if (!WIFSIGNALED(status)) return fmt::format("exit status {}", WEXITSTATUS(status));
  const char* const why = WTERMSIG(status) == SIGSYS ? ", for a call to the system that no kernel may make" : "";
  return fmt::format("signal {} ({}){}", WTERMSIG(status), strsignal(WTERMSIG(status)), why);
}

}  // namespace attestone::inline backends
