// SPDX-License-Identifier: Apache-2.0
// Declares an error of the exponential of 10^300 times the exponential.
// expect: usage|conforms --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_describe(attestone_description* description) {
  description->numerics = "exp_error=1e300";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer_wrongly(args); }
