// SPDX-License-Identifier: Apache-2.0
// Reserves 100 GB of addresses and touches a page of them.
// expect: conforms --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
#include <sys/mman.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static char* const arena = static_cast<char*>(mmap(nullptr, std::size_t{100} << 30, PROT_READ | PROT_WRITE,
                                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  static_cast<volatile char*>(arena)[1 << 30] = 1;
  return hostile::answer(args);
}
