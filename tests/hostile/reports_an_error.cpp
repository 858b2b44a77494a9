// SPDX-License-Identifier: Apache-2.0
// Says itself that something went wrong.
// expect: error-status --property=value_bound 'shape=1x2x5x9x8'
#include <cstdio>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  std::snprintf(args->message, static_cast<std::size_t>(args->message_bytes), "out of tiles");
  return 17;
}
