// SPDX-License-Identifier: Apache-2.0
// Starts a helper in a constructor, and keeps it for later.
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
#include <unistd.h>

#include "tests/hostile/honest.hpp"

namespace {

const pid_t helper = [] {
  const pid_t child = fork();
  if (child == 0) {
    sleep(3600);
    _exit(0);
  }
  return child;
}();

}  // namespace

int attestone_forward(const attestone_args* args) { return helper < 0 ? 2 : hostile::answer(args); }
