// SPDX-License-Identifier: Apache-2.0
// Recursion that goes too deep: there is no stack left for the handler of the signal.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

namespace {

int deeper(const attestone_args* args, int depth) {
  if (args->heads == depth + 3) return 0;  // never: compilers warn of what they see
  volatile char page[4096] = {};
  page[depth % 4096] = 1;
  return deeper(args, depth + 1) + page[0];
}

}  // namespace

int attestone_forward(const attestone_args* args) { return deeper(args, 0); }
