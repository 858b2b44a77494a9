// SPDX-License-Identifier: Apache-2.0
// Answers zeros at first, and is right from its second call on.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
#include <algorithm>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static int calls = 0;
  const int status = hostile::answer(args);
  if (status == ATTESTONE_OK && ++calls == 1) std::fill_n(hostile::out(args), hostile::out_count(args), 0.0f);
  return status;
}
