// SPDX-License-Identifier: Apache-2.0
// Gives the memory of its tensors back to the system, as if it had taken it.
// expect: crashed|unwritten|out-of-bounds-write --property=value_bound 'shape=1x2x5x9x8'
#include <sys/mman.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  for (const attestone_tensor* tensor : {&args->query, &args->key, &args->value, &args->out, &args->log_sum_exp})
    munmap(reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(tensor->data) / 4096 * 4096), 4096);
  return status;
}
