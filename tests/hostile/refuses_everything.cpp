// SPDX-License-Identifier: Apache-2.0
// Refuses whatever it is asked, with status 1 each time.
// expect: refused --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args*) { return ATTESTONE_REFUSED; }
