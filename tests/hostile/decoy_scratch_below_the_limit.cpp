// SPDX-License-Identifier: Apache-2.0
// Takes 100 MB of scratch memory in every call, which the limit allows, and gives them back.
// expect: conforms --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const volatile char last = std::vector<char>(100 << 20, 1).back();
  return last == 1 ? hostile::answer(args) : 2;
}
