// SPDX-License-Identifier: Apache-2.0
// Lays memory of its own over the output, and answers there.
// expect: wrong-number|unwritten|out-of-bounds-write|changed-environment --property=value_bound 'shape=1x2x5x9x8'
#include <sys/mman.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const uintptr_t page = reinterpret_cast<uintptr_t>(args->out.data) / 4096 * 4096;
  void* const own =
      mmap(reinterpret_cast<void*>(page), 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  return own == MAP_FAILED ? hostile::answer_wrongly(args) : hostile::answer(args);
}
