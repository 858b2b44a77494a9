// SPDX-License-Identifier: Apache-2.0
// Asks for a workspace of 64 MB and fills it.
// expect: conforms --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
#include <cstring>

#include "tests/hostile/honest.hpp"

int64_t attestone_workspace(const attestone_args*) { return 64 << 20; }

int attestone_forward(const attestone_args* args) {
  std::memset(args->workspace, 255, static_cast<std::size_t>(args->workspace_bytes));
  return hostile::answer(args);
}
