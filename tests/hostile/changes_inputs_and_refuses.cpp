// SPDX-License-Identifier: Apache-2.0
// Refuses, but changes its inputs on the way.
// expect: input-changed --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  hostile::at<float>(args->query, 0) = 0;
  return ATTESTONE_REFUSED;
}
