// SPDX-License-Identifier: Apache-2.0
// A library with an error for 13 keys, after which its process answers nothing but errors, as CUDA's context after an
// illegal access.
#include "tests/plugins/gradients.hpp"

int attestone_forward(const attestone_args* args) {
  static bool is_broken = false;
  is_broken = is_broken || args->keys == 13;
  return is_broken ? 2 : plugin::forward(*args);
}

int attestone_describe(attestone_description* description) {
  description->name = "an error for good";
  description->limits = "dtypes=f32 layouts=bhsd scores= dropout=no";
  return ATTESTONE_OK;
}
