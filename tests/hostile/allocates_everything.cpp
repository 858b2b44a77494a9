// SPDX-License-Identifier: Apache-2.0
// Takes memory until there is none, and touches all of it.
// expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
#include <cstddef>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args*) {
  constexpr std::size_t piece = 1 << 20, page = 1 << 12;
  for (;;) {
    // A compiler may leave out what it sees that nobody reads.
    volatile char* memory = new char[piece];
    for (std::size_t at = 0; at < piece; at += page) memory[at] = 1;
  }
}
