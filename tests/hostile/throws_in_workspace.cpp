// SPDX-License-Identifier: Apache-2.0
// An exception crosses the interface when it is asked for the size of its workspace.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int64_t attestone_workspace(const attestone_args*) { throw 17; }

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }
