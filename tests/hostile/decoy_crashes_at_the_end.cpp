// SPDX-License-Identifier: Apache-2.0
// Its destructors abort: when all calls are done, that is nobody's concern.
// expect: conforms --property=value_bound 'shape=1x2x5x9x8'
#include <cstdlib>

#include "tests/hostile/honest.hpp"

namespace {

const struct Aborts {
  ~Aborts() { std::abort(); }
} aborts;

}  // namespace

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }
