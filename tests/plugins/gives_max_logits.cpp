// SPDX-License-Identifier: Apache-2.0
// A library that answers max_logits where a problem asks for them, and says so.
#include "tests/plugins/gradients.hpp"

int attestone_forward(const attestone_args* args) { return plugin::forward(*args); }

int attestone_describe(attestone_description* description) {
  description->name = "the largest score, too";
  description->limits = "dtypes=f32 layouts=bhsd+bshd+strided+broadcast scores=bias dropout=no max_logits=yes";
  return ATTESTONE_OK;
}
