// SPDX-License-Identifier: Apache-2.0
// Answers a problem once, and refuses it when it is asked again.
// expect: refused-later --property=guards 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static int calls = 0;
  return ++calls > 1 ? static_cast<int>(ATTESTONE_REFUSED) : hostile::answer(args);
}
