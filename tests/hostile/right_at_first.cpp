// SPDX-License-Identifier: Apache-2.0
// Is right when it is looked at, and sloppy from its second call on.
// expect: not-repeatable --property=repeats_bitwise 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static int calls = 0;
  const int status = hostile::answer(args);
  if (status == ATTESTONE_OK && ++calls > 1) *hostile::out(args) *= 2;
  return status;
}
