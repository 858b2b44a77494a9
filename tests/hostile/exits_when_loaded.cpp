// SPDX-License-Identifier: Apache-2.0
// A constructor ends the process, successfully.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
// says: exit
#include <unistd.h>

#include "tests/hostile/honest.hpp"

namespace {

const int ready = (_exit(0), 0);

}  // namespace

int attestone_forward(const attestone_args* args) { return ready + hostile::answer(args); }
