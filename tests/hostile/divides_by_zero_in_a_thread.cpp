// SPDX-License-Identifier: Apache-2.0
// A thread divides by zero while the call runs.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
#include <thread>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  volatile int tiles = 0;
  std::thread([&tiles] { tiles = 100 / tiles; }).join();
  return hostile::answer(args);
}
