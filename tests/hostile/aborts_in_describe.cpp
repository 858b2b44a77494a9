// SPDX-License-Identifier: Apache-2.0
// An assertion fails when it is asked what it is.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
// says: signal 6
#include <cstdlib>

#include "tests/hostile/honest.hpp"

int attestone_describe(attestone_description*) { std::abort(); }

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }
