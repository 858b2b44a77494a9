// SPDX-License-Identifier: Apache-2.0
// Asks for a workspace of 100 bytes and writes one more.
// expect: out-of-bounds-write --property=guards 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int64_t attestone_workspace(const attestone_args*) { return 100; }

int attestone_forward(const attestone_args* args) {
  static_cast<volatile char*>(args->workspace)[100] = 1;
  return hostile::answer(args);
}
