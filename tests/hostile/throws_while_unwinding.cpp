// SPDX-License-Identifier: Apache-2.0
// An exception crosses the interface, and an object on its way throws another one.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

namespace {

struct Thrower {
  ~Thrower() noexcept(false) { throw 2; }
};

}  // namespace

int attestone_forward(const attestone_args*) {
  const Thrower thrower;
  throw 1;
}
