// SPDX-License-Identifier: Apache-2.0
// Moves the pages of its output elsewhere: the place that it was given is empty.
// expect: crashed|unwritten|out-of-bounds-write --property=value_bound 'shape=1x2x5x9x8'
#include <sys/mman.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  const uintptr_t page = reinterpret_cast<uintptr_t>(args->out.data) / 4096 * 4096;
  void* const elsewhere = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mremap(reinterpret_cast<void*>(page), 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, elsewhere);
  return status;
}
