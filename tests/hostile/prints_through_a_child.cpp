// SPDX-License-Identifier: Apache-2.0
// A child tells standard output what it does.
// expect: printed|wrong-number --property=value_bound 'shape=1x2x5x9x8'
#include <cstdlib>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  return std::system("echo one more call") == 0 ? hostile::answer(args) : hostile::answer_wrongly(args);
}
