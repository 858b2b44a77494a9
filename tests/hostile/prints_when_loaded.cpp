// SPDX-License-Identifier: Apache-2.0
// Greets on standard output while it is loaded.
// expect: printed --property=value_bound 'shape=1x2x5x9x8'
#include <cstdio>

#include "tests/hostile/honest.hpp"

namespace {

const int greeted = std::puts("Fast Attention 1.0");

}  // namespace

int attestone_forward(const attestone_args* args) { return greeted < 0 ? 2 : hostile::answer(args); }
