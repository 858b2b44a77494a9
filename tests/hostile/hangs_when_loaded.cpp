// SPDX-License-Identifier: Apache-2.0
// A constructor waits for a device that never comes.
// expect: usage --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
// says: within 1 s
#include <unistd.h>

#include "tests/hostile/honest.hpp"

namespace {

const int ready = [] {
  for (;;) pause();
  return 0;
}();

}  // namespace

int attestone_forward(const attestone_args* args) { return ready + hostile::answer(args); }
