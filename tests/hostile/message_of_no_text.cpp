// SPDX-License-Identifier: Apache-2.0
// Its message is no UTF-8.
// expect: error-status --property=value_bound 'shape=1x2x5x9x8'
#include <cstdio>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  std::snprintf(args->message, static_cast<std::size_t>(args->message_bytes), "%s", "\xff\xfe tile \xc3 \xed\xa0\x80");
  return 17;
}
