// SPDX-License-Identifier: Apache-2.0
// Its destructors wait for ever: when all calls are done, that is nobody's concern.
// expect: conforms --timeout=2s --property=value_bound 'shape=1x2x5x9x8'
#include <unistd.h>

#include "tests/hostile/honest.hpp"

namespace {

const struct Waits {
  ~Waits() {
    for (;;) pause();
  }
} waits;

}  // namespace

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }
