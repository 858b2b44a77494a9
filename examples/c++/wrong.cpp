// SPDX-License-Identifier: Apache-2.0
// A wrong kernel: the one of kernel.cpp, but it never reads the keys behind the last full tile of 16.
#include <attestone/kernel.h>

#define attestone_forward forward_of_all_keys
#include "kernel.cpp"
#undef attestone_forward

int attestone_forward(const attestone_args* args) {
  attestone_args shortened = *args;
  if (args->keys > 16) shortened.keys -= args->keys % 16;
  return forward_of_all_keys(&shortened);
}
