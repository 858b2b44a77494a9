// SPDX-License-Identifier: Apache-2.0
// Plays with memory of its own: guard pages, second maps, moves.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include <sys/mman.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int file = memfd_create("ring", 0);
  static_cast<void>(!ftruncate(file, 8192));
  void* const one = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  void* const two = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  static_cast<char*>(one)[4095] = 7;
  const bool same = static_cast<char*>(two)[4095] == 7;
  void* const moved = mremap(two, 8192, 4096, MREMAP_MAYMOVE);
  mprotect(one, 4096, PROT_NONE);
  munmap(one, 8192);
  munmap(moved, 4096);
  return same ? hostile::answer(args) : 2;
}
