// SPDX-License-Identifier: Apache-2.0
// A library that answers two calls, and takes no time for any later one: it writes nothing.
#include "tests/plugins/gradients.hpp"

int attestone_forward(const attestone_args* args) {
  static int calls = 0;
  return ++calls > 2 ? ATTESTONE_OK : plugin::forward(*args);
}
int attestone_describe(attestone_description* description) {
  plugin::describe(description, "the definition, twice");
  return ATTESTONE_OK;
}
