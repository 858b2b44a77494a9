// SPDX-License-Identifier: Apache-2.0
// Flushes subnormal numbers while it works on memory of its own, and gives the mode back before it answers.
// expect: conforms --property=value_bound 'shape=1x2x5x9x8 fill=subnormal,normal'
#include <cfenv>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
#if defined(__x86_64__)
  const unsigned before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before | 0x8040);
  volatile float flushed = 0x1p-126f;
  flushed = flushed / 2;
  __builtin_ia32_ldmxcsr(before);
#endif
  std::fenv_t modes;
  std::feholdexcept(&modes);
  std::fesetround(FE_UPWARD);
  std::fesetenv(&modes);
  return hostile::answer(args);
}
