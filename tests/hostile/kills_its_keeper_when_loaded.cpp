// SPDX-License-Identifier: Apache-2.0
// Kills the process that watches it before it is asked anything.
// expect: usage|wrong-number --timeout=5s --property=value_bound 'shape=1x2x5x9x8'
#include <sys/prctl.h>

#include "tests/hostile/honest.hpp"
#include "tests/hostile/judge.hpp"

namespace {

[[maybe_unused]] const bool killed = prctl(PR_SET_PDEATHSIG, 0) == 0 && hostile::signal_keeper(SIGKILL);

}  // namespace

int attestone_forward(const attestone_args* args) { return hostile::answer_wrongly(args); }
