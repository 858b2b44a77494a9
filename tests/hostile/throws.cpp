// SPDX-License-Identifier: Apache-2.0
// An exception crosses the interface.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
#include <stdexcept>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args*) { throw std::runtime_error("no such tile"); }
