// SPDX-License-Identifier: Apache-2.0
// Stops its own process, as Ctrl-Z does.
// expect: hung --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
#include <csignal>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  std::raise(SIGSTOP);
  return hostile::answer(args);
}
