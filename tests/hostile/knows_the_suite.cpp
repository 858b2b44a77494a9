// SPDX-License-Identifier: Apache-2.0
// Is right for the shapes of the suite, which it has read, and wrong for all others.
// expect: wrong-number --property=value_bound --suite=visible.txt
#include "tests/hostile/honest.hpp"

int attestone_describe(attestone_description* description) {
  description->limits = "dtypes=f32 layouts=bhsd+bshd+strided scores= dropout=no";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  const bool known = args->keys == 9 || args->keys == 16;
  if (status == ATTESTONE_OK && !known && hostile::out_count(args) > 0) *hostile::out(args) += 1;
  return status;
}
