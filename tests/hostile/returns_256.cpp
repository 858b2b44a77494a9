// SPDX-License-Identifier: Apache-2.0
// Answers 256, of which a byte says success.
// expect: error-status --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static_cast<void>(hostile::answer(args));
  return 256;
}
