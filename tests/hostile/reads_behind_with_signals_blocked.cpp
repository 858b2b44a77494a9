// SPDX-License-Identifier: Apache-2.0
// Blocks all signals, and reads a tile of keys that is not there.
// expect: out-of-bounds-read|crashed --property=value_bound 'shape=1x2x5x9x8'
#include <csignal>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  const volatile float* const key = static_cast<const float*>(args->key.data);
  static_cast<void>(key[args->batch * args->kv_heads * args->keys * args->dim + 64]);
  return hostile::answer(args);
}
