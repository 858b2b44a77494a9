// SPDX-License-Identifier: Apache-2.0
// Never gives back the 100 MB of a call.
// expect: too-much-memory --memory-limit=256M --property=guards 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static std::vector<std::vector<char>> leaked;
  leaked.emplace_back(100 << 20, 1);
  return hostile::answer(args);
}
