// SPDX-License-Identifier: Apache-2.0
// A list behind a mutex.
#include "backends/plugins/process/live_keepers.hpp"

#include <map>
#include <mutex>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace attestone::inline backends {
namespace {

constexpr int patience_ms = 500;

std::mutex mutex;

std::map<pid_t, int>& keepers() {
  static std::map<pid_t, int> all;
  return all;
}

}  // namespace

void note_keeper(pid_t keeper, int descriptor) {
  const std::lock_guard lock(mutex);
  keepers()[keeper] = descriptor;
}

void forget_keeper(pid_t keeper) {
  const std::lock_guard lock(mutex);
  keepers().erase(keeper);
}

void end_keepers() {
  const std::lock_guard lock(mutex);
  for (const auto& [keeper, descriptor] : keepers()) shutdown(descriptor, SHUT_RDWR);
  int waited_ms = 0;
  for (const auto& [keeper, descriptor] : keepers())
    while (waitpid(keeper, nullptr, WNOHANG) == 0 && waited_ms++ < patience_ms) usleep(1000);
}

}  // namespace attestone::inline backends
