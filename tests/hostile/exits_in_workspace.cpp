// SPDX-License-Identifier: Apache-2.0
// Ends its process when it is asked for the size of its workspace.
// expect: exited --property=value_bound 'shape=1x2x5x9x8'
#include <cstdlib>

#include "tests/hostile/honest.hpp"

int64_t attestone_workspace(const attestone_args*) { std::exit(0); }

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }
