// SPDX-License-Identifier: Apache-2.0
// An assertion that does not hold.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
#include <cstdlib>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args*) { std::abort(); }
