// SPDX-License-Identifier: Apache-2.0
// Writes 600 MB into a file in memory that it never maps.
// expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
#include <sys/mman.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int file = memfd_create("scratch", 0);
  const std::vector<char> piece(1 << 20, 1);
  for (int i = 0; i < 600; ++i) static_cast<void>(!write(file, piece.data(), piece.size()));
  usleep(300'000);
  close(file);
  return hostile::answer(args);
}
