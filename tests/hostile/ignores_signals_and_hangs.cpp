// SPDX-License-Identifier: Apache-2.0
// Ignores and blocks whatever might end it, and hangs.
// expect: hung --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
#include <csignal>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args*) {
  for (int number = 1; number < NSIG; ++number) std::signal(number, SIG_IGN);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  for (;;) sleep(1000);
}
