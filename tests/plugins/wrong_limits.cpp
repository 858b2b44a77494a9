// SPDX-License-Identifier: Apache-2.0
// A library that declares a format that there is none of.
#include "backends/plugins/protocol/kernel.h"

int attestone_describe(attestone_description* description) {
  description->limits = "dtypes=f32+bf61";
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args*) { return ATTESTONE_OK; }
