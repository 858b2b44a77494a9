// SPDX-License-Identifier: Apache-2.0
// A thread fails an assertion shortly after the call has returned.
// expect: crashed --property=repeats_bitwise 'shape=1x2x5x9x8'
#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::abort();
  }).detach();
  return hostile::answer(args);
}
