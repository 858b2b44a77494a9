// SPDX-License-Identifier: Apache-2.0
// Declares that whatever it answers is rounded so.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_describe(attestone_description* description) {
  description->numerics = "output_roundoff=inf";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer_wrongly(args); }
