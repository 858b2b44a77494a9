// SPDX-License-Identifier: Apache-2.0
// Its name has a million letters.
// expect: wrong-number|usage --property=value_bound 'shape=1x2x5x9x8'
#include <string>

#include "tests/hostile/honest.hpp"

int attestone_describe(attestone_description* description) {
  static const std::string name(1'000'000, 'x');
  description->name = name.c_str();
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer_wrongly(args); }
