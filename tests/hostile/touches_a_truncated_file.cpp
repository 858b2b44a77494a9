// SPDX-License-Identifier: Apache-2.0
// Reads behind the end of a file that it has mapped: a bus error of its own making.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
#include <sys/mman.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  void* const file = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, memfd_create("empty", 0), 0);
  static_cast<void>(*static_cast<volatile char*>(file));
  return hostile::answer(args);
}
