// SPDX-License-Identifier: Apache-2.0
// Fills the whole place for its message, without a final 0.
// expect: error-status --property=value_bound 'shape=1x2x5x9x8'
#include <cstring>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  std::memset(args->message, 'x', static_cast<std::size_t>(args->message_bytes));
  return 17;
}
