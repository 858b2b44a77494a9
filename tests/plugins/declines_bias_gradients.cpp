// SPDX-License-Identifier: Apache-2.0
// An honest library that answers with a bias, and differentiates without one.
#include "tests/plugins/gradients.hpp"

int attestone_forward(const attestone_args* args) { return plugin::forward(*args); }
int attestone_backward(const attestone_args* args) {
  return args->bias.data ? static_cast<int>(ATTESTONE_REFUSED) : plugin::backward(*args, 1);
}
int attestone_describe(attestone_description* description) {
  description->name = "no gradients with a bias";
  description->limits = "dtypes=f32 layouts=bhsd scores=bias dropout=no";
  return ATTESTONE_OK;
}
