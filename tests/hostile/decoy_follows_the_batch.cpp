// SPDX-License-Identifier: Apache-2.0
// Answers a large batch by other sums, and declares nothing that says otherwise.
// expect: conforms --property=value_bound,batch_invariant 'shape=1x2x5x9x8'
#include <cmath>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK || args->batch < 3) return status;
  float* const out = hostile::out(args);
  out[0] = std::nextafter(out[0], 2.0f);
  return ATTESTONE_OK;
}
