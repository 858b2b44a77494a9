// SPDX-License-Identifier: Apache-2.0
// A library that writes to dQ, whether somebody asks for it or not.
#include "tests/plugins/gradients.hpp"

int attestone_forward(const attestone_args* args) { return plugin::forward(*args); }

int attestone_backward(const attestone_args* args) {
  const int status = plugin::backward(*args, 1);
  static_cast<volatile float*>(args->dquery.data)[0] = 0;
  return status;
}

int attestone_describe(attestone_description* description) {
  plugin::describe(description, "dQ unasked");
  return ATTESTONE_OK;
}
