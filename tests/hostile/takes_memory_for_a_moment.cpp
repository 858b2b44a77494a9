// SPDX-License-Identifier: Apache-2.0
// Takes 600 MB and gives them back at once, in every call.
// expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const volatile char last = std::vector<char>(600 << 20, 1).back();
  return last == 1 ? hostile::answer(args) : 2;
}
