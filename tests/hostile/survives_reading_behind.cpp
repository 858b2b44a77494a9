// SPDX-License-Identifier: Apache-2.0
// Reads a tile of keys that is not there, and jumps out of the fault as if it had not happened.
// expect: out-of-bounds-read --property=value_bound 'shape=1x2x5x9x8'
#include <csetjmp>
#include <csignal>

#include "tests/hostile/honest.hpp"

namespace {

sigjmp_buf before;

}  // namespace

int attestone_forward(const attestone_args* args) {
  struct sigaction action {};
  action.sa_handler = [](int) { siglongjmp(before, 1); };
  sigaction(SIGSEGV, &action, nullptr);
  const volatile float* const key = static_cast<const float*>(args->key.data);
  if (sigsetjmp(before, 1) == 0) static_cast<void>(key[args->batch * args->kv_heads * args->keys * args->dim + 64]);
  return hostile::answer(args);
}
