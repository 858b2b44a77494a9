// SPDX-License-Identifier: Apache-2.0
// A thread follows a null pointer when the call has long returned.
// expect: crashed --property=repeats_bitwise 'shape=1x2x5x9x8'
#include <chrono>
#include <thread>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    static volatile int* volatile nowhere = nullptr;
    *nowhere = 1;
  }).detach();
  return hostile::answer(args);
}
