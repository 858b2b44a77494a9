// SPDX-License-Identifier: Apache-2.0
// Has a handler that ends the process, and reads a tile of keys that is not there.
// expect: out-of-bounds-read|exited --property=value_bound 'shape=1x2x5x9x8'
#include <csignal>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  struct sigaction action {};
  action.sa_handler = [](int) { _exit(0); };
  sigaction(SIGSEGV, &action, nullptr);
  const volatile float* const key = static_cast<const float*>(args->key.data);
  static_cast<void>(key[args->batch * args->kv_heads * args->keys * args->dim + 64]);
  return hostile::answer(args);
}
