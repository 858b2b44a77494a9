// SPDX-License-Identifier: Apache-2.0
// Its last bit depends on where its query lies.
// expect: not-repeatable --property=repeats_bitwise 'shape=1x2x5x9x8'
#include <cmath>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  const uintptr_t page = reinterpret_cast<uintptr_t>(args->query.data) >> 12;
  for (int64_t i = 0; status == ATTESTONE_OK && i < hostile::out_count(args); ++i)
    if (page >> (i % 24) & 1) hostile::out(args)[i] = std::nextafter(hostile::out(args)[i], 9.f);
  return status;
}
