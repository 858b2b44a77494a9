// SPDX-License-Identifier: Apache-2.0
// Asks a helper, a process of its own, and waits until it has ended.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include <cstdlib>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) { return std::system("exit 0") == 0 ? hostile::answer(args) : 2; }
