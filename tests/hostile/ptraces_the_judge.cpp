// SPDX-License-Identifier: Apache-2.0
// Attaches to the judge as a debugger does, and holds it there.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
#include <sys/ptrace.h>

#include "tests/hostile/honest.hpp"
#include "tests/hostile/judge.hpp"

int attestone_forward(const attestone_args* args) {
  const std::vector<pid_t> above = hostile::attestones_above();
  if (!above.empty()) ptrace(PTRACE_ATTACH, above.back(), nullptr, nullptr);
  return hostile::answer_wrongly(args);
}
