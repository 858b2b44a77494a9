// SPDX-License-Identifier: Apache-2.0
// An exception that nobody catches ends a thread, and so the process.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
#include <thread>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  std::thread([] { throw 17; }).join();
  return hostile::answer(args);
}
