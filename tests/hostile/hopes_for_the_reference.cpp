// SPDX-License-Identifier: Apache-2.0
// Writes nothing: perhaps the right answer still lies in the output.
// expect: unwritten --property=guards 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args*) { return ATTESTONE_OK; }
