// SPDX-License-Identifier: Apache-2.0
// Its last bit is drawn once for each process.
// expect: not-repeatable --property=repeats_bitwise 'shape=1x2x5x9x8'
#include <cmath>
#include <random>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static const unsigned drawn = std::random_device()();
  const int status = hostile::answer(args);
  for (int64_t i = 0; status == ATTESTONE_OK && i < hostile::out_count(args); ++i)
    if (drawn >> (i % 32) & 1) hostile::out(args)[i] = std::nextafter(hostile::out(args)[i], 9.f);
  return status;
}
