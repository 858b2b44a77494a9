// SPDX-License-Identifier: Apache-2.0
// Tells attestone, over every descriptor that may be the keeper's, that its process has ended well.
// expect: wrong-protocol|hung --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/forged.hpp"

int attestone_forward(const attestone_args* args) {
  static_cast<void>(hostile::answer(args));
  attestone::wire::Kept kept{};
  kept.ended = 1;
  for (int descriptor = attestone::wire::keeper_descriptor; descriptor < 64; ++descriptor)
    send(descriptor, &kept, sizeof kept, MSG_NOSIGNAL | MSG_DONTWAIT);
  for (;;) pause();
}
