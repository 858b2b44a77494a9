// SPDX-License-Identifier: Apache-2.0
// Reads the element in front of its keys, as a window that begins too early does.
// expect: out-of-bounds-read --property=guards 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static_cast<void>(static_cast<const volatile float*>(args->key.data)[-1]);
  return hostile::answer(args);
}
