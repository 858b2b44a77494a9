// SPDX-License-Identifier: Apache-2.0
// A library that takes no problem that asks for some answers alone, and would crash on one.
#include "tests/plugins/gradients.hpp"

int attestone_forward(const attestone_args* args) {
  static_cast<volatile float*>(args->log_sum_exp.data)[0] = 0;
  return plugin::forward(*args);
}

int attestone_describe(attestone_description* description) {
  description->name = "everything or nothing";
  description->limits = "dtypes=f32 layouts=bhsd scores= dropout=no subsets=no";
  return ATTESTONE_OK;
}
