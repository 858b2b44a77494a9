// SPDX-License-Identifier: Apache-2.0
// Writes a tile that is not there, and jumps out of the fault as if it had not happened.
// expect: out-of-bounds-write --property=value_bound 'shape=1x2x5x9x8'
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
  volatile float* const out = hostile::out(args);
  if (sigsetjmp(before, 1) == 0) out[hostile::out_count(args) + 64] = 0;
  return hostile::answer(args);
}
