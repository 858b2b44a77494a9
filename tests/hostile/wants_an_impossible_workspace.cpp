// SPDX-License-Identifier: Apache-2.0
// Asks for a workspace of 2^62 bytes, as an overflow of extents does.
// expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int64_t attestone_workspace(const attestone_args*) { return int64_t{1} << 62; }

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }
