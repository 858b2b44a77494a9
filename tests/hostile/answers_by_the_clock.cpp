// SPDX-License-Identifier: Apache-2.0
// Its last bit is the clock's.
// expect: not-repeatable --property=repeats_bitwise 'shape=1x2x5x9x8'
#include <chrono>
#include <cmath>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  const int64_t ticks = std::chrono::steady_clock::now().time_since_epoch().count();
  for (int64_t i = 0; status == ATTESTONE_OK && i < hostile::out_count(args); ++i)
    if (ticks >> (i % 16) & 1) hostile::out(args)[i] = std::nextafter(hostile::out(args)[i], 9.f);
  return status;
}
