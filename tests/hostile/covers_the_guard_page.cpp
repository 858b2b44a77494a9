// SPDX-License-Identifier: Apache-2.0
// Lays memory of its own over the page behind its keys before it reads there: no fault ever happens.
// expect: out-of-bounds-read|out-of-bounds-write|changed-environment --property=value_bound 'shape=1x2x5x9x8'
#include <sys/mman.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const float* const end =
      static_cast<const float*>(args->key.data) + args->batch * args->kv_heads * args->keys * args->dim;
  const uintptr_t page = (reinterpret_cast<uintptr_t>(end) + 4095) / 4096 * 4096;
  mmap(reinterpret_cast<void*>(page), 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  static_cast<void>(*reinterpret_cast<const volatile float*>(page));
  return hostile::answer(args);
}
