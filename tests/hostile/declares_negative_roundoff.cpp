// SPDX-License-Identifier: Apache-2.0
// Declares a roundoff below 0.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_describe(attestone_description* description) {
  description->numerics = "output_roundoff=-0x1p-9";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }
