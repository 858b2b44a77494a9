// SPDX-License-Identifier: Apache-2.0
// A library with right gradients.
#include "tests/plugins/gradients.hpp"

int attestone_forward(const attestone_args* args) { return plugin::forward(*args); }
int attestone_backward(const attestone_args* args) { return plugin::backward(*args, 1); }
int attestone_describe(attestone_description* description) {
  plugin::describe(description, "the definition and its derivative");
  return ATTESTONE_OK;
}
