// SPDX-License-Identifier: Apache-2.0
// A library that describes itself and cannot do anything.
#include "backends/plugins/protocol/kernel.h"

int attestone_describe(attestone_description*) { return ATTESTONE_OK; }
