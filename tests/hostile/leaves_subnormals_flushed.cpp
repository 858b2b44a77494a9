// SPDX-License-Identifier: Apache-2.0
// Flushes subnormal numbers to zero for speed, and leaves its caller in that mode.
// expect: changed-environment --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#elif defined(__aarch64__)
  __builtin_aarch64_set_fpcr(__builtin_aarch64_get_fpcr() | (1u << 24));
#endif
  return status;
}
