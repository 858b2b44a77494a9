// SPDX-License-Identifier: Apache-2.0
// Blocks Ctrl-C for its caller, and does not take that back.
// expect: changed-environment --property=value_bound 'shape=1x2x5x9x8'
#include <csignal>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  return hostile::answer(args);
}
