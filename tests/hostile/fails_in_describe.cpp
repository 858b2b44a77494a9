// SPDX-License-Identifier: Apache-2.0
// Answers that something went wrong when it is asked what it is.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_describe(attestone_description*) { return 17; }

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }
