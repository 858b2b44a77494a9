// SPDX-License-Identifier: Apache-2.0
// Has handlers of its own for faults, and never faults.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include <csignal>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGUSR1}) std::signal(number, [](int) { _exit(3); });
  return hostile::answer(args);
}
