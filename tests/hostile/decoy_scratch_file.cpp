// SPDX-License-Identifier: Apache-2.0
// Uses a file without a name as scratch memory.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include <cstdio>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  std::FILE* const scratch = std::tmpfile();
  if (!scratch) return 2;
  std::fputs("rows", scratch);
  std::fclose(scratch);
  return hostile::answer(args);
}
