// SPDX-License-Identifier: Apache-2.0
// Flushes subnormal numbers to zero from its constructor on, as libraries built with -ffast-math do: allowed.
// expect: conforms --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

namespace {

const bool flushes = [] {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#elif defined(__aarch64__)
  __builtin_aarch64_set_fpcr(__builtin_aarch64_get_fpcr() | (1u << 24));
#endif
  return true;
}();

}  // namespace

int attestone_forward(const attestone_args* args) { return flushes ? hostile::answer(args) : 2; }
