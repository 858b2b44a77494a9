// SPDX-License-Identifier: Apache-2.0
// A constructor takes 600 MB.
// expect: usage|too-much-memory --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

namespace {

const std::vector<char> tables(600 << 20, 1);

}  // namespace

int attestone_forward(const attestone_args* args) { return tables[1 << 20] == 1 ? hostile::answer(args) : 2; }
