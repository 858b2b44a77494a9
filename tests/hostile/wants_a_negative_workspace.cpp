// SPDX-License-Identifier: Apache-2.0
// Asks for a workspace of less than nothing.
// expect: error-status --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int64_t attestone_workspace(const attestone_args*) { return -1; }

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }
