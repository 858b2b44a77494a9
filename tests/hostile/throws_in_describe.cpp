// SPDX-License-Identifier: Apache-2.0
// An exception crosses the interface when it is asked what it is.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_describe(attestone_description*) { throw 17; }

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }
