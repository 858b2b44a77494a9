// SPDX-License-Identifier: Apache-2.0
// Zeroes V through /proc, which asks for no rights of pages, and answers zeros.
// expect: input-changed|wrong-number --property=value_bound 'shape=1x2x5x9x8'
#include <algorithm>
#include <fcntl.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK) return status;
  const std::vector<float> zeros(static_cast<std::size_t>(args->batch * args->kv_heads * args->keys * args->value_dim));
  const int memory = open("/proc/self/mem", O_WRONLY);
  static_cast<void>(!pwrite(memory, zeros.data(), zeros.size() * 4,
                            static_cast<off_t>(reinterpret_cast<uintptr_t>(args->value.data))));
  close(memory);
  std::fill_n(hostile::out(args), hostile::out_count(args), 0.0f);
  return status;
}
