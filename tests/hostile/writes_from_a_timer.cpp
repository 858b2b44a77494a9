// SPDX-License-Identifier: Apache-2.0
// A timer's signal finishes the output when the call has returned.
// expect: late-write|crashed --property=repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include <csignal>
#include <sys/time.h>

#include "tests/hostile/honest.hpp"

namespace {

volatile float* late = nullptr;

}  // namespace

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  late = hostile::out(args);
  std::signal(SIGALRM, [](int) { *late = 17; });
  const itimerval soon{{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &soon, nullptr);
  return status;
}
