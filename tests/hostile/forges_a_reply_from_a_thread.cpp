// SPDX-License-Identifier: Apache-2.0
// A thread sends the worker's reply, while the call goes on for ever.
// expect: wrong-protocol|hung --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
#include <thread>

#include "tests/hostile/forged.hpp"

int attestone_forward(const attestone_args* args) {
  static_cast<void>(hostile::answer(args));
  std::thread([args] { hostile::send_forged_reply(args); }).join();
  for (;;) pause();
}
