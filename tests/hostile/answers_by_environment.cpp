// SPDX-License-Identifier: Apache-2.0
// Adds in an order that depends on OMP_NUM_THREADS, which it asks for in every call.
// expect: not-repeatable --property=repeats_bitwise 'shape=1x2x5x9x8'
#include <cmath>
#include <cstdlib>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  const char* const threads = std::getenv("OMP_NUM_THREADS");
  float* const out = hostile::out(args);
  if (status == ATTESTONE_OK && hostile::out_count(args) > 0 && threads && std::atoi(threads) > 1)
    *out = std::nextafter(*out, 9.f);
  return status;
}
