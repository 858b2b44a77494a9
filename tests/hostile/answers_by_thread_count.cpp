// SPDX-License-Identifier: Apache-2.0
// Adds in an order that depends on how many threads there are.
// expect: not-repeatable --property=repeats_bitwise 'shape=1x2x5x9x8'
#include <cmath>
#include <omp.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  float* const out = hostile::out(args);
  if (status == ATTESTONE_OK && hostile::out_count(args) > 0 && omp_get_max_threads() > 1)
    *out = std::nextafter(*out, 9.f);
  return status;
}
