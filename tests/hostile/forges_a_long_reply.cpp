// SPDX-License-Identifier: Apache-2.0
// Sends zeros, which may mean success, over every descriptor that it finds, and never returns.
// expect: wrong-protocol --timeout=2s --property=value_bound 'shape=1x2x5x9x8'
#include <sys/socket.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static_cast<void>(hostile::answer(args));
  static const char zeros[1 << 16] = {};
  for (int descriptor = 3; descriptor < 64; ++descriptor)
    send(descriptor, zeros, sizeof zeros, MSG_NOSIGNAL | MSG_DONTWAIT);
  for (;;) pause();
}
