// SPDX-License-Identifier: Apache-2.0
// A library that needs a function that nobody has.
#include "backends/plugins/protocol/kernel.h"

extern "C" int attestone_of_a_library_that_is_not_there();

int attestone_forward(const attestone_args*) { return attestone_of_a_library_that_is_not_there(); }
