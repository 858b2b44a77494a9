// SPDX-License-Identifier: Apache-2.0
// Rounds towards minus infinity, and leaves its caller in that mode.
// expect: changed-environment --property=value_bound 'shape=1x2x5x9x8'
#include <cfenv>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  std::fesetround(FE_DOWNWARD);
  return hostile::answer(args);
}
