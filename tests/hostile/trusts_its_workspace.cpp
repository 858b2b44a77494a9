// SPDX-License-Identifier: Apache-2.0
// Expects its workspace to hold what the call before has left there: zeros, at first.
// expect: wrong-non-finite|depends-on-poison --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int64_t attestone_workspace(const attestone_args*) { return 64; }

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  if (status == ATTESTONE_OK && hostile::out_count(args) > 0)
    *hostile::out(args) += *static_cast<float*>(args->workspace);
  return status;
}
