// SPDX-License-Identifier: Apache-2.0
// A child sends the worker's reply and lives on, while the call goes on for ever.
// expect: wrong-protocol|hung --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/forged.hpp"

int attestone_forward(const attestone_args* args) {
  static_cast<void>(hostile::answer(args));
  if (fork() == 0) hostile::send_forged_reply(args);
  for (;;) pause();
}
