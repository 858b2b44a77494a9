// SPDX-License-Identifier: Apache-2.0
// Attaches to the process that watches it, as a debugger does, and never lets it go.
// expect: hung --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
#include <sys/ptrace.h>

#include "tests/hostile/honest.hpp"
#include "tests/hostile/judge.hpp"

int attestone_forward(const attestone_args*) {
  if (const std::vector<pid_t> above = hostile::attestones_above(); !above.empty())
    ptrace(PTRACE_ATTACH, above.front(), nullptr, nullptr);
  for (;;) pause();
}
