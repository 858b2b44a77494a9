// SPDX-License-Identifier: Apache-2.0
// Turns invalid operations and divisions by zero into signals, and leaves its caller with that.
// expect: changed-environment --property=value_bound 'shape=1x2x5x9x8'
#include <cfenv>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  std::feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_INVALID | FE_DIVBYZERO);
  return status;
}
