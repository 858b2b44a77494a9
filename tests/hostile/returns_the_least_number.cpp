// SPDX-License-Identifier: Apache-2.0
// Answers the most negative number that there is.
// expect: error-status --property=value_bound 'shape=1x2x5x9x8'
#include <climits>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args*) { return INT_MIN; }
