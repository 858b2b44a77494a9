// SPDX-License-Identifier: Apache-2.0
// Sends a reply of its own, too short, over every descriptor that it finds.
// expect: wrong-protocol --property=value_bound 'shape=1x2x5x9x8'
#include <sys/socket.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  for (int descriptor = 3; descriptor < 64; ++descriptor) send(descriptor, "passed", 6, MSG_NOSIGNAL);
  return hostile::answer(args);
}
