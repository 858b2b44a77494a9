// SPDX-License-Identifier: Apache-2.0
// Finding the worker program beside the library, and spawning it.
#include "backends/plugins/process/worker_program.hpp"

#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

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

}  // namespace

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

}  // namespace attestone::inline backends
