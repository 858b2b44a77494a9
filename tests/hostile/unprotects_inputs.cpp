// SPDX-License-Identifier: Apache-2.0
// Asks for the right to write to its inputs, zeroes them all, and answers zeros.
// expect: input-changed --property=value_bound 'shape=1x2x5x9x8'
#include <cstring>
#include <sys/mman.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  constexpr uintptr_t page = 4096;
  const auto begin = reinterpret_cast<uintptr_t>(args->value.data) / page * page;
  mprotect(reinterpret_cast<void*>(begin), page, PROT_READ | PROT_WRITE);
  std::memset(args->value.data, 0, 8);
  return hostile::answer(args);
}
