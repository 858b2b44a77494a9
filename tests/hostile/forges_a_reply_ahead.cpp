// SPDX-License-Identifier: Apache-2.0
// Sends the worker's reply itself and returns all the same: from now on each call has its reply before it is made.
// expect: wrong-protocol|not-repeatable --timeout=2s --property=repeats_bitwise 'shape=1x2x5x9x8'
#include "tests/hostile/forged.hpp"

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  hostile::send_forged_reply(args);
  return status;
}
