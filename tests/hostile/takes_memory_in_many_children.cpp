// SPDX-License-Identifier: Apache-2.0
// Eight children take 80 MB each: none of them too much, all of them together three times the limit.
// expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  for (int i = 0; i < 8; ++i)
    if (fork() == 0) {
      constexpr std::size_t bytes = 80 << 20;
      char* const memory = new char[bytes];
      std::memset(memory, 1, bytes);
      usleep(500'000);
      _exit(memory[bytes / 2]);
    }
  while (wait(nullptr) > 0) continue;
  return hostile::answer(args);
}
