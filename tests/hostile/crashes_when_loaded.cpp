// SPDX-License-Identifier: Apache-2.0
// A constructor follows a null pointer.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
// says: signal 11
#include "tests/hostile/honest.hpp"

namespace {

const int ready = [] {
  static volatile int* volatile nowhere = nullptr;
  return *nowhere;
}();

}  // namespace

int attestone_forward(const attestone_args* args) { return ready + hostile::answer(args); }
