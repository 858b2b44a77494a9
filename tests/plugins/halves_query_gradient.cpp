// SPDX-License-Identifier: Apache-2.0
// A library whose dQ is half of what it should be.
#include "tests/plugins/gradients.hpp"

int attestone_forward(const attestone_args* args) { return plugin::forward(*args); }
int attestone_backward(const attestone_args* args) { return plugin::backward(*args, 0.5); }
int attestone_describe(attestone_description* description) {
  plugin::describe(description, "half of dQ");
  return ATTESTONE_OK;
}
