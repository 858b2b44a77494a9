// SPDX-License-Identifier: Apache-2.0
// Scales the query in place.
// expect: input-changed --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  hostile::at<float>(args->query, 0) *= static_cast<float>(args->scale);
  return hostile::answer(args);
}
