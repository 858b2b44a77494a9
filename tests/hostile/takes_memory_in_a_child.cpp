// SPDX-License-Identifier: Apache-2.0
// A child takes all the memory, while the parent waits for it.
// expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const pid_t child = fork();
  if (child == 0) {
    constexpr std::size_t bytes = 600 << 20;
    char* const memory = new char[bytes];
    std::memset(memory, 1, bytes);
    usleep(300'000);
    _exit(memory[bytes / 2]);
  }
  waitpid(child, nullptr, 0);
  return hostile::answer(args);
}
