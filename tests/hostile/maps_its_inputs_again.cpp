// SPDX-License-Identifier: Apache-2.0
// Zeroes V through a second map of its pages, and answers zeros.
// expect: input-changed|wrong-number|crashed --property=value_bound 'shape=1x2x5x9x8'
#include <algorithm>
#include <sys/mman.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK || hostile::out_count(args) == 0) return status;
  const uintptr_t place = reinterpret_cast<uintptr_t>(args->value.data), page = place / 4096 * 4096;
  void* const again = mremap(reinterpret_cast<void*>(page), 0, 4096, MREMAP_MAYMOVE);
  if (again != MAP_FAILED && mprotect(again, 4096, PROT_READ | PROT_WRITE) == 0)
    reinterpret_cast<float*>(static_cast<char*>(again) + (place - page))[0] = 0;
  std::fill_n(hostile::out(args), hostile::out_count(args), 0.0f);
  return status;
}
