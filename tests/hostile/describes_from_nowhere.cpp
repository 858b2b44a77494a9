// SPDX-License-Identifier: Apache-2.0
// Points to a name that is not there.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
// says: signal 11
#include "tests/hostile/honest.hpp"

int attestone_describe(attestone_description* description) {
  description->name = reinterpret_cast<const char*>(static_cast<uintptr_t>(description->size));
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }
