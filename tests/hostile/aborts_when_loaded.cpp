// SPDX-License-Identifier: Apache-2.0
// An assertion fails in a constructor.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
// says: signal 6
#include <cstdlib>

#include "tests/hostile/honest.hpp"

namespace {

const int ready = (std::abort(), 0);

}  // namespace

int attestone_forward(const attestone_args* args) { return ready + hostile::answer(args); }
