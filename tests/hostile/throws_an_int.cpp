// SPDX-License-Identifier: Apache-2.0
// What crosses the interface is no std::exception.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args*) { throw 17; }
