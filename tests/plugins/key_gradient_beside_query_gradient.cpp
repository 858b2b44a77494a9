// SPDX-License-Identifier: Apache-2.0
// A library that computes dK where it computes dQ, and nowhere else.
#include "tests/plugins/gradients.hpp"

int attestone_forward(const attestone_args* args) { return plugin::forward(*args); }

int attestone_backward(const attestone_args* args) {
  const int status = plugin::backward(*args, 1);
  if (!args->dquery.data && args->dkey.data) plugin::Sums(args->dkey).store();  // of nothing
  return status;
}

int attestone_describe(attestone_description* description) {
  plugin::describe(description, "dK beside dQ");
  return ATTESTONE_OK;
}
